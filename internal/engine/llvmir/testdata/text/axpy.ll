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
  %v28 = getelementptr float, ptr %v16, i64 %v20
  %v29 = ptrtoint ptr %v28 to i64
  %v30 = and i64 %v29, 31
  %v31 = icmp sge i64 %v6, 8388608
  %v32 = icmp eq i64 %v30, 0
  %v33 = and i1 %v31, %v32
  br i1 %v33, label %b34, label %b35
b34:
  %v37 = sub i64 %v22, %v20
  %v38 = icmp slt i64 %v20, %v22
  %v39 = select i1 %v38, i64 %v37, i64 0
  %v40 = and i64 %v39, -32
  %v41 = add i64 %v20, %v40
  %v42 = sub i64 %v41, %v20
  %v43 = icmp slt i64 %v20, %v41
  %v44 = select i1 %v43, i64 %v42, i64 0
  %v47 = icmp slt i64 0, %v44
  br i1 %v47, label %b45, label %b46
b45:
  %v48 = phi i64 [ 0, %b34 ], [ %v76, %b62 ]
  %v49 = sub i64 %v44, %v48
  %v50 = icmp sgt i64 %v49, 4096
  br i1 %v50, label %b51, label %b52
b51:
  %v53 = getelementptr i8, ptr %block, i64 56
  %v54 = load volatile i64, ptr %v53, align 8, !alias.scope !3, !noalias !4
  %v57 = icmp ne i64 %v54, 0
  br i1 %v57, label %b55, label %b56, !prof !0
b55:
  ret void
b56:
  br label %b52
b52:
  %v58 = add i64 %v20, %v48
  %v59 = select i1 %v50, i64 4096, i64 %v49
  %v60 = add i64 %v58, %v59
  %v63 = icmp slt i64 %v58, %v60
  br i1 %v63, label %b61, label %b62
b61:
  %v64 = phi i64 [ %v58, %b52 ], [ %v74, %b61 ]
  %v65 = getelementptr float, ptr %v12, i64 %v64
  %v66 = load <32 x float>, ptr %v65, align 4, !alias.scope !6, !noalias !7
  %v67 = insertelement <32 x float> poison, float %v10, i64 0
  %v68 = shufflevector <32 x float> %v67, <32 x float> poison, <32 x i32> zeroinitializer
  %v69 = fmul <32 x float> %v66, %v68
  %v70 = getelementptr float, ptr %v14, i64 %v64
  %v71 = load <32 x float>, ptr %v70, align 4, !alias.scope !9, !noalias !10
  %v72 = fadd <32 x float> %v69, %v71
  %v73 = getelementptr float, ptr %v16, i64 %v64
  store <32 x float> %v72, ptr %v73, align 32, !alias.scope !12, !noalias !13, !nontemporal !14
  %v74 = add nsw i64 %v64, 32
  %v75 = icmp slt i64 %v74, %v60
  br i1 %v75, label %b61, label %b62
b62:
  %v76 = add nuw nsw i64 %v48, 4096
  %v77 = icmp slt i64 %v76, %v44
  br i1 %v77, label %b45, label %b46
b46:
  call void @llvm.x86.sse.sfence()
  br label %b36
b35:
  %v78 = sub i64 %v22, %v20
  %v79 = icmp slt i64 %v20, %v22
  %v80 = select i1 %v79, i64 %v78, i64 0
  %v81 = and i64 %v80, -32
  %v82 = add i64 %v20, %v81
  %v83 = sub i64 %v82, %v20
  %v84 = icmp slt i64 %v20, %v82
  %v85 = select i1 %v84, i64 %v83, i64 0
  %v88 = icmp slt i64 0, %v85
  br i1 %v88, label %b86, label %b87
b86:
  %v89 = phi i64 [ 0, %b35 ], [ %v117, %b103 ]
  %v90 = sub i64 %v85, %v89
  %v91 = icmp sgt i64 %v90, 4096
  br i1 %v91, label %b92, label %b93
b92:
  %v94 = getelementptr i8, ptr %block, i64 56
  %v95 = load volatile i64, ptr %v94, align 8, !alias.scope !3, !noalias !4
  %v98 = icmp ne i64 %v95, 0
  br i1 %v98, label %b96, label %b97, !prof !0
b96:
  ret void
b97:
  br label %b93
b93:
  %v99 = add i64 %v20, %v89
  %v100 = select i1 %v91, i64 4096, i64 %v90
  %v101 = add i64 %v99, %v100
  %v104 = icmp slt i64 %v99, %v101
  br i1 %v104, label %b102, label %b103
b102:
  %v105 = phi i64 [ %v99, %b93 ], [ %v115, %b102 ]
  %v106 = getelementptr float, ptr %v12, i64 %v105
  %v107 = load <32 x float>, ptr %v106, align 4, !alias.scope !6, !noalias !7
  %v108 = insertelement <32 x float> poison, float %v10, i64 0
  %v109 = shufflevector <32 x float> %v108, <32 x float> poison, <32 x i32> zeroinitializer
  %v110 = fmul <32 x float> %v107, %v109
  %v111 = getelementptr float, ptr %v14, i64 %v105
  %v112 = load <32 x float>, ptr %v111, align 4, !alias.scope !9, !noalias !10
  %v113 = fadd <32 x float> %v110, %v112
  %v114 = getelementptr float, ptr %v16, i64 %v105
  store <32 x float> %v113, ptr %v114, align 4, !alias.scope !12, !noalias !13
  %v115 = add nsw i64 %v105, 32
  %v116 = icmp slt i64 %v115, %v101
  br i1 %v116, label %b102, label %b103
b103:
  %v117 = add nuw nsw i64 %v89, 4096
  %v118 = icmp slt i64 %v117, %v85
  br i1 %v118, label %b86, label %b87
b87:
  br label %b36
b36:
  %v119 = sub i64 %v22, %v27
  %v120 = icmp slt i64 %v27, %v22
  %v121 = select i1 %v120, i64 %v119, i64 0
  %v124 = icmp slt i64 0, %v121
  br i1 %v124, label %b122, label %b123
b122:
  %v125 = phi i64 [ 0, %b36 ], [ %v151, %b139 ]
  %v126 = sub i64 %v121, %v125
  %v127 = icmp sgt i64 %v126, 4096
  br i1 %v127, label %b128, label %b129
b128:
  %v130 = getelementptr i8, ptr %block, i64 56
  %v131 = load volatile i64, ptr %v130, align 8, !alias.scope !3, !noalias !4
  %v134 = icmp ne i64 %v131, 0
  br i1 %v134, label %b132, label %b133, !prof !0
b132:
  ret void
b133:
  br label %b129
b129:
  %v135 = add i64 %v27, %v125
  %v136 = select i1 %v127, i64 4096, i64 %v126
  %v137 = add i64 %v135, %v136
  %v140 = icmp slt i64 %v135, %v137
  br i1 %v140, label %b138, label %b139
b138:
  %v141 = phi i64 [ %v135, %b129 ], [ %v149, %b138 ]
  %v142 = getelementptr float, ptr %v12, i64 %v141
  %v143 = load float, ptr %v142, align 4, !alias.scope !6, !noalias !7
  %v144 = fmul float %v143, %v10
  %v145 = getelementptr float, ptr %v14, i64 %v141
  %v146 = load float, ptr %v145, align 4, !alias.scope !9, !noalias !10
  %v147 = fadd float %v144, %v146
  %v148 = getelementptr float, ptr %v16, i64 %v141
  store float %v147, ptr %v148, align 4, !alias.scope !12, !noalias !13
  %v149 = add nsw i64 %v141, 1
  %v150 = icmp slt i64 %v149, %v137
  br i1 %v150, label %b138, label %b139
b139:
  %v151 = add nuw nsw i64 %v125, 4096
  %v152 = icmp slt i64 %v151, %v121
  br i1 %v152, label %b122, label %b123
b123:
  br label %b19
b19:
  ret void
}

declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.x86.sse.sfence()

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
!14 = !{i32 1}
