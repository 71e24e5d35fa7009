define void @godwit_kernel(ptr noalias %block, i64 %lo, i64 %hi) #0 {
entry:

  %v1 = getelementptr i8, ptr %block, i64 0
  %v2 = load i64, ptr %v1, align 8, !alias.scope !3, !noalias !4
  %v3 = getelementptr i8, ptr %block, i64 8
  %v4 = load i64, ptr %v3, align 8, !alias.scope !3, !noalias !4
  %v5 = getelementptr i8, ptr %block, i64 16
  %v6 = load i64, ptr %v5, align 8, !alias.scope !3, !noalias !4
  %v7 = getelementptr i8, ptr %block, i64 24
  %v8 = load i64, ptr %v7, align 8, !alias.scope !3, !noalias !4
  %v9 = trunc i64 %v8 to i32
  %v10 = bitcast i32 %v9 to float
  %v11 = getelementptr i8, ptr %block, i64 32
  %v12 = load ptr, ptr %v11, align 8, !alias.scope !3, !noalias !4
  %v13 = getelementptr i8, ptr %block, i64 40
  %v14 = load ptr, ptr %v13, align 8, !alias.scope !3, !noalias !4
  %v15 = getelementptr i8, ptr %block, i64 48
  %v16 = load ptr, ptr %v15, align 8, !alias.scope !3, !noalias !4
  %v17 = icmp slt i64 %lo, %hi
  br i1 %v17, label %b18, label %b19
b18:
  %v20 = mul i64 %lo, 4096
  %v21 = mul i64 %hi, 4096
  %v22 = call i64 @llvm.smin.i64(i64 %v21, i64 %v6)
  %v23 = sub i64 %v22, %v20
  %v24 = icmp slt i64 %v20, %v22
  %v25 = select i1 %v24, i64 %v23, i64 0
  %v26 = and i64 %v25, -32
  %v27 = add i64 %v20, %v26
  %v28 = sub i64 %v27, %v20
  %v29 = icmp slt i64 %v20, %v27
  %v30 = select i1 %v29, i64 %v28, i64 0
  %v33 = icmp slt i64 0, %v30
  br i1 %v33, label %b31, label %b32
b31:
  %v34 = phi i64 [ 0, %b18 ], [ %v62, %b48 ]
  %v35 = sub i64 %v30, %v34
  %v36 = icmp sgt i64 %v35, 4096
  br i1 %v36, label %b37, label %b38
b37:
  %v39 = getelementptr i8, ptr %block, i64 56
  %v40 = load volatile i64, ptr %v39, align 8, !alias.scope !3, !noalias !4
  %v43 = icmp ne i64 %v40, 0
  br i1 %v43, label %b41, label %b42, !prof !0
b41:
  ret void
b42:
  br label %b38
b38:
  %v44 = add i64 %v20, %v34
  %v45 = select i1 %v36, i64 4096, i64 %v35
  %v46 = add i64 %v44, %v45
  %v49 = icmp slt i64 %v44, %v46
  br i1 %v49, label %b47, label %b48
b47:
  %v50 = phi i64 [ %v44, %b38 ], [ %v60, %b47 ]
  %v51 = getelementptr float, ptr %v12, i64 %v50
  %v52 = load <32 x float>, ptr %v51, align 4, !alias.scope !6, !noalias !7
  %v53 = insertelement <32 x float> poison, float %v10, i64 0
  %v54 = shufflevector <32 x float> %v53, <32 x float> poison, <32 x i32> zeroinitializer
  %v55 = fmul <32 x float> %v52, %v54
  %v56 = getelementptr float, ptr %v14, i64 %v50
  %v57 = load <32 x float>, ptr %v56, align 4, !alias.scope !9, !noalias !10
  %v58 = fadd <32 x float> %v55, %v57
  %v59 = getelementptr float, ptr %v16, i64 %v50
  store <32 x float> %v58, ptr %v59, align 4, !alias.scope !12, !noalias !13
  %v60 = add nsw i64 %v50, 32
  %v61 = icmp slt i64 %v60, %v46
  br i1 %v61, label %b47, label %b48
b48:
  %v62 = add nuw nsw i64 %v34, 4096
  %v63 = icmp slt i64 %v62, %v30
  br i1 %v63, label %b31, label %b32
b32:
  %v64 = sub i64 %v22, %v27
  %v65 = icmp slt i64 %v27, %v22
  %v66 = select i1 %v65, i64 %v64, i64 0
  %v69 = icmp slt i64 0, %v66
  br i1 %v69, label %b67, label %b68
b67:
  %v70 = phi i64 [ 0, %b32 ], [ %v96, %b84 ]
  %v71 = sub i64 %v66, %v70
  %v72 = icmp sgt i64 %v71, 4096
  br i1 %v72, label %b73, label %b74
b73:
  %v75 = getelementptr i8, ptr %block, i64 56
  %v76 = load volatile i64, ptr %v75, align 8, !alias.scope !3, !noalias !4
  %v79 = icmp ne i64 %v76, 0
  br i1 %v79, label %b77, label %b78, !prof !0
b77:
  ret void
b78:
  br label %b74
b74:
  %v80 = add i64 %v27, %v70
  %v81 = select i1 %v72, i64 4096, i64 %v71
  %v82 = add i64 %v80, %v81
  %v85 = icmp slt i64 %v80, %v82
  br i1 %v85, label %b83, label %b84
b83:
  %v86 = phi i64 [ %v80, %b74 ], [ %v94, %b83 ]
  %v87 = getelementptr float, ptr %v12, i64 %v86
  %v88 = load float, ptr %v87, align 4, !alias.scope !6, !noalias !7
  %v89 = fmul float %v88, %v10
  %v90 = getelementptr float, ptr %v14, i64 %v86
  %v91 = load float, ptr %v90, align 4, !alias.scope !9, !noalias !10
  %v92 = fadd float %v89, %v91
  %v93 = getelementptr float, ptr %v16, i64 %v86
  store float %v92, ptr %v93, align 4, !alias.scope !12, !noalias !13
  %v94 = add nsw i64 %v86, 1
  %v95 = icmp slt i64 %v94, %v82
  br i1 %v95, label %b83, label %b84
b84:
  %v96 = add nuw nsw i64 %v70, 4096
  %v97 = icmp slt i64 %v96, %v66
  br i1 %v97, label %b67, label %b68
b68:
  br label %b19
b19:
  ret void
}

declare i64 @llvm.smin.i64(i64, i64)

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }

!0 = !{!"branch_weights", i32 1, i32 100000}
!1 = distinct !{!1}
!2 = distinct !{!2, !1}
!3 = !{!2}
!4 = !{!5, !8, !11}
!5 = distinct !{!5, !1}
!6 = !{!5}
!7 = !{!2, !8, !11}
!8 = distinct !{!8, !1}
!9 = !{!8}
!10 = !{!2, !5, !11}
!11 = distinct !{!11, !1}
!12 = !{!11}
!13 = !{!2, !5, !8}
