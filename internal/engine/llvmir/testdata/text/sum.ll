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
  %v14 = phi i64 [ %lo, %entry ], [ %v74, %b42 ]
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
  store <32 x float> %v39, ptr %v23, align 64
  %v45 = icmp slt i64 %v28, %v22
  br i1 %v45, label %b43, label %b44
b43:
  %v46 = phi i64 [ %v28, %b41 ], [ %v54, %b43 ]
  %v47 = getelementptr float, ptr %v8, i64 %v46
  %v48 = load float, ptr %v47, align 4, !alias.scope !6, !noalias !7
  %v49 = sub i64 %v46, %v20
  %v50 = and i64 %v49, 31
  %v51 = getelementptr float, ptr %v23, i64 %v50
  %v52 = load float, ptr %v51, align 4
  %v53 = fadd float %v52, %v48
  store float %v53, ptr %v51, align 4
  %v54 = add nsw i64 %v46, 1
  %v55 = icmp slt i64 %v54, %v22
  br i1 %v55, label %b43, label %b44
b44:
  %v56 = load <32 x float>, ptr %v23, align 64
  br label %b42
b42:
  %v57 = phi <32 x float> [ %v39, %b30 ], [ %v56, %b44 ]
  %v58 = shufflevector <32 x float> %v57, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v59 = shufflevector <32 x float> %v57, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v60 = fadd <16 x float> %v58, %v59
  %v61 = shufflevector <16 x float> %v60, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v62 = shufflevector <16 x float> %v60, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v63 = fadd <8 x float> %v61, %v62
  %v64 = shufflevector <8 x float> %v63, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v65 = shufflevector <8 x float> %v63, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v66 = fadd <4 x float> %v64, %v65
  %v67 = shufflevector <4 x float> %v66, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v68 = shufflevector <4 x float> %v66, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v69 = fadd <2 x float> %v67, %v68
  %v70 = extractelement <2 x float> %v69, i64 0
  %v71 = extractelement <2 x float> %v69, i64 1
  %v72 = fadd float %v70, %v71
  %v73 = getelementptr float, ptr %v10, i64 %v14
  store float %v72, ptr %v73, align 4, !alias.scope !9, !noalias !10
  %v74 = add nsw i64 %v14, 1
  %v75 = icmp slt i64 %v74, %hi
  br i1 %v75, label %b11, label %b12
b12:
  ret void
}

declare i64 @llvm.smin.i64(i64, i64)

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
