; Library functions that need nothing of the machine but what is in the table. All of them are weak: a definition of the
; user's own wins.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_detach(i64)
declare i32 @__fencewright_once_begin(ptr)
declare void @__fencewright_once_end(ptr)
declare void @__fencewright_once_abort(ptr)
declare i32 @__gxx_personality_v0(...)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @_ZSt9terminatev()

@_ZSt15__once_callable = weak thread_local global ptr null
@_ZSt11__once_call = weak thread_local global ptr null

; std::thread: its state has the virtual functions destroy, delete and run.
define weak void @_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(ptr %this, ptr %owner, ptr %depend) {
  %state = load ptr, ptr %owner
  store ptr null, ptr %owner
  %error = call i32 @pthread_create(ptr %this, ptr null, ptr @__fencewright_run_state, ptr %state)
  ret void
}

define internal ptr @__fencewright_run_state(ptr %state) {
  %table = load ptr, ptr %state
  %run_at = getelementptr ptr, ptr %table, i64 2
  %run = load ptr, ptr %run_at
  call void %run(ptr %state)
  %table2 = load ptr, ptr %state
  %delete_at = getelementptr ptr, ptr %table2, i64 1
  %delete = load ptr, ptr %delete_at
  call void %delete(ptr %state)
  ret ptr null
}

define weak void @_ZNSt6thread6_StateD2Ev(ptr %this) {
  ret void
}

define weak void @_ZNSt6thread6_StateD1Ev(ptr %this) {
  ret void
}

define weak void @_ZNSt6thread6_StateD0Ev(ptr %this) {
  call void @free(ptr %this)
  ret void
}

define weak void @_ZNSt6thread4joinEv(ptr %this) {
  %id = load i64, ptr %this
  %none = icmp eq i64 %id, 0
  br i1 %none, label %wrong, label %wait
wait:
  %error = call i32 @pthread_join(i64 %id, ptr null)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %wrong, label %joined
joined:
  store i64 0, ptr %this
  ret void
wrong:
  call void @_ZSt9terminatev()
  unreachable
}

define weak void @_ZNSt6thread6detachEv(ptr %this) {
  %id = load i64, ptr %this
  %error = call i32 @pthread_detach(i64 %id)
  store i64 0, ptr %this
  ret void
}

define weak i32 @pthread_once(ptr %control, ptr %function) personality ptr @__gxx_personality_v0 {
  %first = call i32 @__fencewright_once_begin(ptr %control)
  %mine = icmp ne i32 %first, 0
  br i1 %mine, label %run, label %done
run:
  invoke void %function() to label %end unwind label %left
end:
  call void @__fencewright_once_end(ptr %control)
  br label %done
done:
  ret i32 0
left:
  ; An exception leaves it: the next one tries again.
  %exception = landingpad { ptr, i32 } cleanup
  call void @__fencewright_once_abort(ptr %control)
  resume { ptr, i32 } %exception
}

define weak void @call_once(ptr %control, ptr %function) {
  %error = call i32 @pthread_once(ptr %control, ptr %function)
  ret void
}

define weak void @__once_proxy() {
  %function = load ptr, ptr @_ZSt11__once_call
  call void %function()
  ret void
}

; What a future waits with.
declare i64 @syscall(i64, ...)

define weak i1 @_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(ptr %this, ptr %word, i32 %value, i1 %timed, i64 %s, i64 %ns) {
  %wanted = zext i32 %value to i64
  %end = select i1 %timed, ptr %word, ptr null
  %error = call i64 (i64, ...) @syscall(i64 202, ptr %word, i32 0, i64 %wanted, ptr %end)
  %woken = icmp eq i64 %error, 0
  %endless = xor i1 %timed, true
  %result = or i1 %woken, %endless
  ret i1 %result
}

define weak void @_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(ptr %word) {
  %woken = call i64 (i64, ...) @syscall(i64 202, ptr %word, i32 1, i64 2147483647)
  ret void
}

; Sorting by insertion: few comparisons on the few elements that programs under a checker sort.
define weak void @qsort(ptr %base, i64 %count, i64 %size, ptr %compare) {
entry:
  %spare = call ptr @malloc(i64 %size)
  br label %outer
outer:
  %i = phi i64 [ 1, %entry ], [ %i.next, %placed ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %take, label %end
take:
  %at.i = mul i64 %i, %size
  %p.i = getelementptr i8, ptr %base, i64 %at.i
  %c1 = call ptr @memcpy(ptr %spare, ptr %p.i, i64 %size)
  br label %inner
inner:
  %j = phi i64 [ %i, %take ], [ %j.before, %shift ]
  %first = icmp eq i64 %j, 0
  br i1 %first, label %placed, label %look
look:
  %j.before = sub i64 %j, 1
  %at.b = mul i64 %j.before, %size
  %p.b = getelementptr i8, ptr %base, i64 %at.b
  %order = call i32 %compare(ptr %p.b, ptr %spare)
  %greater = icmp sgt i32 %order, 0
  br i1 %greater, label %shift, label %placed
shift:
  %at.j = mul i64 %j, %size
  %p.j = getelementptr i8, ptr %base, i64 %at.j
  %c2 = call ptr @memcpy(ptr %p.j, ptr %p.b, i64 %size)
  br label %inner
placed:
  %at.k = mul i64 %j, %size
  %p.k = getelementptr i8, ptr %base, i64 %at.k
  %c3 = call ptr @memcpy(ptr %p.k, ptr %spare, i64 %size)
  %i.next = add i64 %i, 1
  br label %outer
end:
  call void @free(ptr %spare)
  ret void
}

define weak ptr @bsearch(ptr %key, ptr %base, i64 %count, i64 %size, ptr %compare) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.next, %other ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %none
look:
  %at = mul i64 %i, %size
  %p = getelementptr i8, ptr %base, i64 %at
  %order = call i32 %compare(ptr %key, ptr %p)
  %same = icmp eq i32 %order, 0
  br i1 %same, label %found, label %other
other:
  %i.next = add i64 %i, 1
  br label %next
found:
  ret ptr %p
none:
  ret ptr null
}
