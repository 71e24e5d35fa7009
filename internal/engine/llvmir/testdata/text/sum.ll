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
  %v14 = phi i64 [ %lo, %entry ], [ %v97, %b70 ]
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
  %v29 = sub i64 %v22, %v20
  %v30 = icmp slt i64 %v20, %v22
  %v31 = select i1 %v30, i64 %v29, i64 0
  %v32 = and i64 %v31, -128
  %v33 = add i64 %v20, %v32
  %v36 = icmp slt i64 %v20, %v33
  br i1 %v36, label %b34, label %b35
b34:
  %v37 = phi i64 [ %v20, %b18 ], [ %v54, %b34 ]
  %v38 = phi <32 x float> [ splat (float 0x8000000000000000), %b18 ], [ %v53, %b34 ]
  %v39 = getelementptr float, ptr %v8, i64 %v37
  %v40 = load <32 x float>, ptr %v39, align 4, !alias.scope !6, !noalias !7
  %v41 = fadd <32 x float> %v38, %v40
  %v42 = add i64 %v37, 32
  %v43 = getelementptr float, ptr %v8, i64 %v42
  %v44 = load <32 x float>, ptr %v43, align 4, !alias.scope !6, !noalias !7
  %v45 = fadd <32 x float> %v41, %v44
  %v46 = add i64 %v37, 64
  %v47 = getelementptr float, ptr %v8, i64 %v46
  %v48 = load <32 x float>, ptr %v47, align 4, !alias.scope !6, !noalias !7
  %v49 = fadd <32 x float> %v45, %v48
  %v50 = add i64 %v37, 96
  %v51 = getelementptr float, ptr %v8, i64 %v50
  %v52 = load <32 x float>, ptr %v51, align 4, !alias.scope !6, !noalias !7
  %v53 = fadd <32 x float> %v49, %v52
  %v54 = add nsw i64 %v37, 128
  %v55 = icmp slt i64 %v54, %v33
  br i1 %v55, label %b34, label %b35
b35:
  %v56 = phi <32 x float> [ splat (float 0x8000000000000000), %b18 ], [ %v53, %b34 ]
  %v59 = icmp slt i64 %v33, %v28
  br i1 %v59, label %b57, label %b58
b57:
  %v60 = phi i64 [ %v33, %b35 ], [ %v65, %b57 ]
  %v61 = phi <32 x float> [ %v56, %b35 ], [ %v64, %b57 ]
  %v62 = getelementptr float, ptr %v8, i64 %v60
  %v63 = load <32 x float>, ptr %v62, align 4, !alias.scope !6, !noalias !7
  %v64 = fadd <32 x float> %v61, %v63
  %v65 = add nsw i64 %v60, 32
  %v66 = icmp slt i64 %v65, %v28
  br i1 %v66, label %b57, label %b58
b58:
  %v67 = phi <32 x float> [ %v56, %b35 ], [ %v64, %b57 ]
  %v68 = icmp slt i64 %v28, %v22
  br i1 %v68, label %b69, label %b70
b69:
  %v71 = sub i64 %v22, %v28
  %v72 = trunc i64 %v71 to i32
  %v73 = insertelement <32 x i32> poison, i32 %v72, i64 0
  %v74 = shufflevector <32 x i32> %v73, <32 x i32> poison, <32 x i32> zeroinitializer
  %v75 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v74
  %v76 = getelementptr float, ptr %v8, i64 %v28
  %v77 = call <32 x float> @llvm.masked.load.v32f32(ptr %v76, i32 4, <32 x i1> %v75, <32 x float> zeroinitializer), !alias.scope !6, !noalias !7
  %v78 = fadd <32 x float> %v67, %v77
  %v79 = select <32 x i1> %v75, <32 x float> %v78, <32 x float> %v67
  br label %b70
b70:
  %v80 = phi <32 x float> [ %v67, %b58 ], [ %v79, %b69 ]
  %v81 = shufflevector <32 x float> %v80, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v82 = shufflevector <32 x float> %v80, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v83 = fadd <16 x float> %v81, %v82
  %v84 = shufflevector <16 x float> %v83, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v85 = shufflevector <16 x float> %v83, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v86 = fadd <8 x float> %v84, %v85
  %v87 = shufflevector <8 x float> %v86, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v88 = shufflevector <8 x float> %v86, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v89 = fadd <4 x float> %v87, %v88
  %v90 = shufflevector <4 x float> %v89, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v91 = shufflevector <4 x float> %v89, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v92 = fadd <2 x float> %v90, %v91
  %v93 = extractelement <2 x float> %v92, i64 0
  %v94 = extractelement <2 x float> %v92, i64 1
  %v95 = fadd float %v93, %v94
  %v96 = getelementptr float, ptr %v10, i64 %v14
  store float %v95, ptr %v96, align 4, !alias.scope !9, !noalias !10
  %v97 = add nsw i64 %v14, 1
  %v98 = icmp slt i64 %v97, %hi
  br i1 %v98, label %b11, label %b12
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
