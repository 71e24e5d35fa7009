define void @godwit_kernel(ptr noalias %block, i64 %lo, i64 %hi) #0 {
entry:
  %v23 = alloca [32 x float], align 64
  %v1 = getelementptr i8, ptr %block, i64 0
  %v2 = load i64, ptr %v1, align 8, !alias.scope !3, !noalias !4
  %v3 = getelementptr i8, ptr %block, i64 8
  %v4 = load i64, ptr %v3, align 8, !alias.scope !3, !noalias !4
  %v5 = getelementptr i8, ptr %block, i64 16
  %v6 = load i64, ptr %v5, align 8, !alias.scope !3, !noalias !4
  %v7 = getelementptr i8, ptr %block, i64 24
  %v8 = load ptr, ptr %v7, align 8, !alias.scope !3, !noalias !4
  %v9 = getelementptr i8, ptr %block, i64 32
  %v10 = load ptr, ptr %v9, align 8, !alias.scope !3, !noalias !4
  %v13 = icmp slt i64 %lo, %hi
  br i1 %v13, label %b11, label %b12
b11:
  %v14 = phi i64 [ %lo, %entry ], [ %v69, %b42 ]
  %v15 = getelementptr i8, ptr %block, i64 40
  %v16 = load volatile i64, ptr %v15, align 8, !alias.scope !3, !noalias !4
  %v19 = icmp ne i64 %v16, 0
  br i1 %v19, label %b17, label %b18, !prof !0
b17:
  ret void
b18:
  %v20 = mul i64 %v14, 4096
  %v21 = add i64 %v20, 4096
  %v22 = call i64 @llvm.smin.i64(i64 %v21, i64 %v6)
  %v24 = sub i64 %v22, %v20
  %v25 = icmp slt i64 %v20, %v22
  %v26 = select i1 %v25, i64 %v24, i64 0
  %v27 = and i64 %v26, -32
  %v28 = add i64 %v20, %v27
  %v31 = icmp slt i64 %v20, %v28
  br i1 %v31, label %b29, label %b30
b29:
  %v32 = phi i64 [ %v20, %b18 ], [ %v37, %b29 ]
  %v33 = phi <32 x float> [ splat (float 0x8000000000000000), %b18 ], [ %v36, %b29 ]
  %v34 = getelementptr float, ptr %v8, i64 %v32
  %v35 = load <32 x float>, ptr %v34, align 4, !alias.scope !6, !noalias !7
  %v36 = fadd <32 x float> %v33, %v35
  %v37 = add nsw i64 %v32, 32
  %v38 = icmp slt i64 %v37, %v28
  br i1 %v38, label %b29, label %b30
b30:
  %v39 = phi <32 x float> [ splat (float 0x8000000000000000), %b18 ], [ %v36, %b29 ]
  %v40 = icmp slt i64 %v28, %v22
  br i1 %v40, label %b41, label %b42
b41:
  %v43 = sub i64 %v22, %v28
  %v44 = trunc i64 %v43 to i32
  %v45 = insertelement <32 x i32> poison, i32 %v44, i64 0
  %v46 = shufflevector <32 x i32> %v45, <32 x i32> poison, <32 x i32> zeroinitializer
  %v47 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v46
  %v48 = getelementptr float, ptr %v8, i64 %v28
  %v49 = call <32 x float> @llvm.masked.load.v32f32(ptr %v48, i32 4, <32 x i1> %v47, <32 x float> zeroinitializer), !alias.scope !6, !noalias !7
  %v50 = fadd <32 x float> %v39, %v49
  %v51 = select <32 x i1> %v47, <32 x float> %v50, <32 x float> %v39
  br label %b42
b42:
  %v52 = phi <32 x float> [ %v39, %b30 ], [ %v51, %b41 ]
  %v53 = shufflevector <32 x float> %v52, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v54 = shufflevector <32 x float> %v52, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v55 = fadd <16 x float> %v53, %v54
  %v56 = shufflevector <16 x float> %v55, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v57 = shufflevector <16 x float> %v55, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v58 = fadd <8 x float> %v56, %v57
  %v59 = shufflevector <8 x float> %v58, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v60 = shufflevector <8 x float> %v58, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v61 = fadd <4 x float> %v59, %v60
  %v62 = shufflevector <4 x float> %v61, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v63 = shufflevector <4 x float> %v61, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v64 = fadd <2 x float> %v62, %v63
  %v65 = extractelement <2 x float> %v64, i64 0
  %v66 = extractelement <2 x float> %v64, i64 1
  %v67 = fadd float %v65, %v66
  %v68 = getelementptr float, ptr %v10, i64 %v14
  store float %v67, ptr %v68, align 4, !alias.scope !9, !noalias !10
  %v69 = add nsw i64 %v14, 1
  %v70 = icmp slt i64 %v69, %hi
  br i1 %v70, label %b11, label %b12
b12:
  ret void
}

declare i64 @llvm.smin.i64(i64, i64)
declare <32 x float> @llvm.masked.load.v32f32(ptr, i32, <32 x i1>, <32 x float>)

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }

!0 = !{!"branch_weights", i32 1, i32 100000}
!1 = distinct !{!1}
!2 = distinct !{!2, !1}
!3 = !{!2}
!4 = !{!5, !8}
!5 = distinct !{!5, !1}
!6 = !{!5}
!7 = !{!2, !8}
!8 = distinct !{!8, !1}
!9 = !{!8}
!10 = !{!2, !5}
!11 = !{i32 1}
