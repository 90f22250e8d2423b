; What a compiler writes, in little: both syntaxes, aggregates, calls, atomics, debug information old and new.
source_filename = "mixed.c"
target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"

%struct.node = type { i32, %struct.node* }
%pair = type { i32, { i64, i8 } }

@flag = internal global [2 x i32] zeroinitializer, align 4, !dbg !0
@turn = internal global i32 0, align 4
@head = dso_local global %struct.node* null, align 8
@spare = dso_local global %struct.node { i32 4, %struct.node* null }, align 8
@table = internal constant [2 x i8* (i8*)*] [i8* (i8*)* @first, i8* (i8*)* @second]
@name = private unnamed_addr constant [3 x i8] c"a\22\00", align 1
@inner = internal global i32* getelementptr inbounds ([2 x i32], [2 x i32]* @flag, i64 0, i64 1)

define internal i8* @first(i8* noundef %0) #0 !dbg !4 {
  %2 = alloca i32, align 4
  call void @llvm.dbg.declare(metadata i32* %2, metadata !6, metadata !DIExpression()), !dbg !7
  store volatile i32 1, i32* getelementptr inbounds ([2 x i32], [2 x i32]* @flag, i64 0, i64 0), align 4, !dbg !7
  fence release
  store atomic i32 1, i32* @turn release, align 4, !dbg !7
  %3 = load i32*, i32** @inner, align 8
  %4 = load volatile i32, i32* %3, align 4, !dbg !7
  store i32 %4, i32* %2, align 4
  switch i32 %4, label %7 [
    i32 0, label %5
    i32 1, label %6
  ]

5:                                                ; preds = %1
  br label %7

6:                                                ; preds = %1
  br label %7

7:                                                ; preds = %6, %5, %1
  %8 = phi i32 [ 3, %1 ], [ 4, %5 ], [ 5, %6 ]
  %9 = atomicrmw add i32* @turn, i32 %8 seq_cst, align 4
  %10 = cmpxchg %struct.node** @head, %struct.node* null, %struct.node* @spare acq_rel monotonic, align 8
  %11 = extractvalue { %struct.node*, i1 } %10, 1
  %12 = insertvalue { i32, i1 } undef, i32 %9, 0
  %13 = select i1 %11, i32 1, i32 2
  %14 = icmp ult i32 %13, 3
  br i1 %14, label %15, label %16

15:
  ret i8* null

16:
  call void @abort() #1
  unreachable
}

define internal ptr @second(ptr noundef %0) {
entry:
  %node = alloca %pair, align 8
    #dbg_declare(ptr %node, !6, !DIExpression(), !7)
  %field = getelementptr inbounds nuw %pair, ptr %node, i32 0, i32 1, i32 1
  store i8 3, ptr %field, align 1
  store atomic i32 1, ptr getelementptr inbounds (i8, ptr @flag, i64 4) seq_cst, align 4
  tail call void asm sideeffect "mfence", "~{memory},~{dirflag}"()
  %sum = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 5, i32 6)
  %value = extractvalue { i32, i1 } %sum, 0
  %seen = load atomic i32, ptr @flag acquire, align 4
  %same = icmp samesign eq i32 %seen, %value
  br i1 %same, label %bad, label %good

bad:
  call void @llvm.trap()
  unreachable

good:
  %top = load ptr, ptr @head
  %none = icmp eq ptr %top, null
  br i1 %none, label %done, label %read

read:
  %number = load i32, ptr %top
  store i32 %number, ptr @turn
  br label %done

done:
  ret ptr null
}

define dso_local i32 @main() {
  %1 = alloca [2 x i64], align 16
  br label %2

2:
  %3 = phi i64 [ 0, %0 ], [ %9, %2 ]
  %4 = getelementptr [2 x i64], [2 x i64]* %1, i64 0, i64 %3
  %5 = getelementptr [2 x i8* (i8*)*], [2 x i8* (i8*)*]* @table, i64 0, i64 %3
  %6 = load i8* (i8*)*, i8* (i8*)** %5
  %7 = call i32 @pthread_create(i64* noundef %4, %union.attr* noundef null, i8* (i8*)* noundef %6, i8* noundef null)
  %8 = add nuw nsw i64 %3, 1
  %9 = add i64 %8, 0
  %10 = icmp slt i64 %9, 2
  br i1 %10, label %2, label %11

11:
  ret i32 0
}

declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare i32 @pthread_create(i64* noundef, %union.attr* noundef, i8* (i8*)* noundef, i8* noundef) #2
declare void @abort()
declare void @llvm.trap()
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)

attributes #0 = { noinline nounwind "frame-pointer"="all" }
attributes #1 = { noreturn }

!llvm.module.flags = !{!8}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "wants", scope: !2, file: !2, line: 1, type: !3, isLocal: true)
!2 = !DIFile(filename: "mixed.c", directory: "/src")
!3 = !DICompositeType(tag: DW_TAG_array_type, baseType: !5, size: 64, elements: !9)
!4 = distinct !DISubprogram(name: "first", scope: !2, file: !2, line: 3)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DILocalVariable(name: "mine", scope: !4, file: !2, line: 4, type: !5)
!7 = !DILocation(line: 5, column: 3, scope: !4)
!8 = !{i32 2, !"Debug Info Version", i32 3}
!9 = !{}
