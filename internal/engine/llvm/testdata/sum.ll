; out[o] = sum of in[o*4096 ..], with a place for the first element that is negative.
define void @godwit_kernel(ptr noalias align 8 %block, i64 %lo, i64 %hi) nounwind {
entry:
  %outp = getelementptr inbounds i8, ptr %block, i64 8
  %faultp = getelementptr inbounds i8, ptr %block, i64 16
  br label %outer
outer:
  %o = phi i64 [ %lo, %entry ], [ %onext, %stored ]
  %go = icmp slt i64 %o, %hi
  br i1 %go, label %start, label %done
start:
  %first = shl i64 %o, 12
  br label %inner
inner:
  %j = phi i64 [ 0, %start ], [ %jnext, %joined ]
  %acc = phi i64 [ 0, %start ], [ %sum, %joined ]
  %at = add i64 %first, %j
  %in = load ptr, ptr %block, align 8
  %p = getelementptr inbounds i32, ptr %in, i64 %at
  %v32 = load i32, ptr %p, align 4
  %v = sext i32 %v32 to i64
  %negative = icmp slt i64 %v, 0
  br i1 %negative, label %fault, label %joined
fault:
  %old = load i64, ptr %faultp, align 8
  %least = call i64 @llvm.smin.i64(i64 %old, i64 %at)
  store i64 %least, ptr %faultp, align 8
  br label %joined
joined:
  %sum = add i64 %acc, %v
  %jnext = add i64 %j, 1
  %more = icmp ult i64 %jnext, 4096
  br i1 %more, label %inner, label %stored
stored:
  %out = load ptr, ptr %outp, align 8
  %q = getelementptr inbounds i64, ptr %out, i64 %o
  store i64 %sum, ptr %q, align 8
  %onext = add i64 %o, 1
  br label %outer
done:
  ret void
}
declare i64 @llvm.smin.i64(i64, i64)
