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
  %v9 = getelementptr i8, ptr %block, i64 32
  %v10 = load ptr, ptr %v9, align 8, !alias.scope !3, !noalias !4
  %v11 = getelementptr i8, ptr %block, i64 40
  %v12 = load ptr, ptr %v11, align 8, !alias.scope !3, !noalias !4
  %v13 = icmp slt i64 %lo, %hi
  br i1 %v13, label %b14, label %b15
b14:
  %v16 = mul i64 %lo, 1024
  %v17 = mul i64 %hi, 1024
  %v18 = call i64 @llvm.smin.i64(i64 %v17, i64 64)
  %v19 = sub i64 %v18, %v16
  %v20 = icmp slt i64 %v16, %v18
  %v21 = select i1 %v20, i64 %v19, i64 0
  %v22 = and i64 %v21, -4
  %v23 = add i64 %v16, %v22
  %v24 = sub i64 %v23, %v16
  %v25 = icmp slt i64 %v16, %v23
  %v26 = select i1 %v25, i64 %v24, i64 0
  %v29 = icmp slt i64 0, %v26
  br i1 %v29, label %b27, label %b28
b27:
  %v30 = phi i64 [ 0, %b14 ], [ %v86, %b44 ]
  %v31 = sub i64 %v26, %v30
  %v32 = icmp sgt i64 %v31, 64
  br i1 %v32, label %b33, label %b34
b33:
  %v35 = getelementptr i8, ptr %block, i64 48
  %v36 = load volatile i64, ptr %v35, align 8, !alias.scope !3, !noalias !4
  %v39 = icmp ne i64 %v36, 0
  br i1 %v39, label %b37, label %b38, !prof !0
b37:
  ret void
b38:
  br label %b34
b34:
  %v40 = add i64 %v16, %v30
  %v41 = select i1 %v32, i64 64, i64 %v31
  %v42 = add i64 %v40, %v41
  %v45 = icmp slt i64 %v40, %v42
  br i1 %v45, label %b43, label %b44
b43:
  %v46 = phi i64 [ %v40, %b34 ], [ %v84, %b51 ]
  %v47 = sub i64 %v8, 0
  %v48 = icmp slt i64 0, %v8
  %v49 = select i1 %v48, i64 %v47, i64 0
  %v52 = icmp slt i64 0, %v49
  br i1 %v52, label %b50, label %b51
b50:
  %v53 = phi i64 [ 0, %b43 ], [ %v80, %b68 ]
  %v54 = phi <4 x i64> [ splat (i64 0), %b43 ], [ %v79, %b68 ]
  %v55 = sub i64 %v49, %v53
  %v56 = icmp sgt i64 %v55, 4096
  br i1 %v56, label %b57, label %b58
b57:
  %v59 = getelementptr i8, ptr %block, i64 48
  %v60 = load volatile i64, ptr %v59, align 8, !alias.scope !3, !noalias !4
  %v63 = icmp ne i64 %v60, 0
  br i1 %v63, label %b61, label %b62, !prof !0
b61:
  ret void
b62:
  br label %b58
b58:
  %v64 = add i64 0, %v53
  %v65 = select i1 %v56, i64 4096, i64 %v55
  %v66 = add i64 %v64, %v65
  %v69 = icmp slt i64 %v64, %v66
  br i1 %v69, label %b67, label %b68
b67:
  %v70 = phi i64 [ %v64, %b58 ], [ %v77, %b67 ]
  %v71 = phi <4 x i64> [ %v54, %b58 ], [ %v76, %b67 ]
  %v72 = mul i64 %v70, 64
  %v73 = add i64 %v72, %v46
  %v74 = getelementptr i64, ptr %v10, i64 %v73
  %v75 = load <4 x i64>, ptr %v74, align 8, !alias.scope !6, !noalias !7
  %v76 = add <4 x i64> %v71, %v75
  %v77 = add nsw i64 %v70, 1
  %v78 = icmp slt i64 %v77, %v66
  br i1 %v78, label %b67, label %b68
b68:
  %v79 = phi <4 x i64> [ %v54, %b58 ], [ %v76, %b67 ]
  %v80 = add nuw nsw i64 %v53, 4096
  %v81 = icmp slt i64 %v80, %v49
  br i1 %v81, label %b50, label %b51
b51:
  %v82 = phi <4 x i64> [ splat (i64 0), %b43 ], [ %v79, %b68 ]
  %v83 = getelementptr i64, ptr %v12, i64 %v46
  store <4 x i64> %v82, ptr %v83, align 8, !alias.scope !9, !noalias !10
  %v84 = add nsw i64 %v46, 4
  %v85 = icmp slt i64 %v84, %v42
  br i1 %v85, label %b43, label %b44
b44:
  %v86 = add nuw nsw i64 %v30, 64
  %v87 = icmp slt i64 %v86, %v26
  br i1 %v87, label %b27, label %b28
b28:
  %v88 = sub i64 %v18, %v23
  %v89 = icmp slt i64 %v23, %v18
  %v90 = select i1 %v89, i64 %v88, i64 0
  %v93 = icmp slt i64 0, %v90
  br i1 %v93, label %b91, label %b92
b91:
  %v94 = phi i64 [ 0, %b28 ], [ %v150, %b108 ]
  %v95 = sub i64 %v90, %v94
  %v96 = icmp sgt i64 %v95, 64
  br i1 %v96, label %b97, label %b98
b97:
  %v99 = getelementptr i8, ptr %block, i64 48
  %v100 = load volatile i64, ptr %v99, align 8, !alias.scope !3, !noalias !4
  %v103 = icmp ne i64 %v100, 0
  br i1 %v103, label %b101, label %b102, !prof !0
b101:
  ret void
b102:
  br label %b98
b98:
  %v104 = add i64 %v23, %v94
  %v105 = select i1 %v96, i64 64, i64 %v95
  %v106 = add i64 %v104, %v105
  %v109 = icmp slt i64 %v104, %v106
  br i1 %v109, label %b107, label %b108
b107:
  %v110 = phi i64 [ %v104, %b98 ], [ %v148, %b115 ]
  %v111 = sub i64 %v8, 0
  %v112 = icmp slt i64 0, %v8
  %v113 = select i1 %v112, i64 %v111, i64 0
  %v116 = icmp slt i64 0, %v113
  br i1 %v116, label %b114, label %b115
b114:
  %v117 = phi i64 [ 0, %b107 ], [ %v144, %b132 ]
  %v118 = phi i64 [ 0, %b107 ], [ %v143, %b132 ]
  %v119 = sub i64 %v113, %v117
  %v120 = icmp sgt i64 %v119, 4096
  br i1 %v120, label %b121, label %b122
b121:
  %v123 = getelementptr i8, ptr %block, i64 48
  %v124 = load volatile i64, ptr %v123, align 8, !alias.scope !3, !noalias !4
  %v127 = icmp ne i64 %v124, 0
  br i1 %v127, label %b125, label %b126, !prof !0
b125:
  ret void
b126:
  br label %b122
b122:
  %v128 = add i64 0, %v117
  %v129 = select i1 %v120, i64 4096, i64 %v119
  %v130 = add i64 %v128, %v129
  %v133 = icmp slt i64 %v128, %v130
  br i1 %v133, label %b131, label %b132
b131:
  %v134 = phi i64 [ %v128, %b122 ], [ %v141, %b131 ]
  %v135 = phi i64 [ %v118, %b122 ], [ %v140, %b131 ]
  %v136 = mul i64 %v134, 64
  %v137 = add i64 %v136, %v110
  %v138 = getelementptr i64, ptr %v10, i64 %v137
  %v139 = load i64, ptr %v138, align 8, !alias.scope !6, !noalias !7
  %v140 = add i64 %v135, %v139
  %v141 = add nsw i64 %v134, 1
  %v142 = icmp slt i64 %v141, %v130
  br i1 %v142, label %b131, label %b132
b132:
  %v143 = phi i64 [ %v118, %b122 ], [ %v140, %b131 ]
  %v144 = add nuw nsw i64 %v117, 4096
  %v145 = icmp slt i64 %v144, %v113
  br i1 %v145, label %b114, label %b115
b115:
  %v146 = phi i64 [ 0, %b107 ], [ %v143, %b132 ]
  %v147 = getelementptr i64, ptr %v12, i64 %v110
  store i64 %v146, ptr %v147, align 8, !alias.scope !9, !noalias !10
  %v148 = add nsw i64 %v110, 1
  %v149 = icmp slt i64 %v148, %v106
  br i1 %v149, label %b107, label %b108
b108:
  %v150 = add nuw nsw i64 %v94, 64
  %v151 = icmp slt i64 %v150, %v90
  br i1 %v151, label %b91, label %b92
b92:
  br label %b15
b15:
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
