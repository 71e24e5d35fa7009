; exp of each element: out[i] = exp(in[i]), 32 lanes at a time, for a multiple of 32.
define void @godwit_kernel(ptr noalias align 8 %block, i64 %lo, i64 %hi) nounwind {
entry:
  %inp = getelementptr inbounds i8, ptr %block, i64 8
  %in = load ptr, ptr %block, align 8
  %out = load ptr, ptr %inp, align 8
  %some = icmp slt i64 %lo, %hi
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ %lo, %entry ], [ %next, %loop ]
  %at = shl i64 %i, 7
  %p = getelementptr inbounds i8, ptr %in, i64 %at
  %x = load <32 x float>, ptr %p, align 4
  %big = fcmp ogt <32 x float> %x, splat (float 0x40562E4300000000)
  %small = fcmp olt <32 x float> %x, splat (float 0xC055D589E0000000)
  %k0 = fmul <32 x float> %x, splat (float 0x3FF7154760000000)
  %k1 = fadd <32 x float> %k0, splat (float 0x4168000000000000)
  %k = fsub <32 x float> %k1, splat (float 0x4168000000000000)
  %h = fmul <32 x float> %k, splat (float 0x3FE6300000000000)
  %r0 = fsub <32 x float> %x, %h
  %l = fmul <32 x float> %k, splat (float 0xBF2BD01060000000)
  %r = fsub <32 x float> %r0, %l
  %a0 = fmul <32 x float> %r, splat (float 0x3F56C16C00000000)
  %a1 = fadd <32 x float> %a0, splat (float 0x3F81111120000000)
  %a2 = fmul <32 x float> %a1, %r
  %a3 = fadd <32 x float> %a2, splat (float 0x3FA5555560000000)
  %a4 = fmul <32 x float> %a3, %r
  %a5 = fadd <32 x float> %a4, splat (float 0x3FC5555560000000)
  %a6 = fmul <32 x float> %a5, %r
  %a7 = fadd <32 x float> %a6, splat (float 5.000000e-01)
  %a8 = fmul <32 x float> %a7, %r
  %a9 = fadd <32 x float> %a8, splat (float 1.000000e+00)
  %a10 = fmul <32 x float> %a9, %r
  %y = fadd <32 x float> %a10, splat (float 1.000000e+00)
  %kb = bitcast <32 x float> %k1 to <32 x i32>
  %kz = sub <32 x i32> %kb, splat (i32 1262485504)
  %half = ashr <32 x i32> %kz, splat (i32 1)
  %rest = sub <32 x i32> %kz, %half
  %s0 = shl <32 x i32> %half, splat (i32 23)
  %s1 = shl <32 x i32> %rest, splat (i32 23)
  %yb = bitcast <32 x float> %y to <32 x i32>
  %y0 = add <32 x i32> %yb, %s0
  %y1 = bitcast <32 x i32> %y0 to <32 x float>
  %s2 = add <32 x i32> %s1, splat (i32 1065353216)
  %s3 = bitcast <32 x i32> %s2 to <32 x float>
  %y2 = fmul <32 x float> %y1, %s3
  %y3 = select <32 x i1> %big, <32 x float> splat (float 0x7FF0000000000000), <32 x float> %y2
  %y4 = select <32 x i1> %small, <32 x float> zeroinitializer, <32 x float> %y3
  %nan = fcmp uno <32 x float> %x, %x
  %y5 = select <32 x i1> %nan, <32 x float> splat (float 0x7FF8000000000000), <32 x float> %y4
  %q = getelementptr inbounds i8, ptr %out, i64 %at
  store <32 x float> %y5, ptr %q, align 4
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %hi
  br i1 %more, label %loop, label %done
done:
  ret void
}
