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

; An object without a thread, and one whose thread cannot be waited for or let go: std::system_error says which.
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
  %why = phi i32 [ 22, %0 ], [ %error, %wait ]
  call void @_ZSt20__throw_system_errori(i32 %why)
  unreachable
}

define weak void @_ZNSt6thread6detachEv(ptr %this) {
  %id = load i64, ptr %this
  %none = icmp eq i64 %id, 0
  br i1 %none, label %wrong, label %detach
detach:
  %error = call i32 @pthread_detach(i64 %id)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %wrong, label %detached
detached:
  store i64 0, ptr %this
  ret void
wrong:
  %why = phi i32 [ 22, %0 ], [ %error, %detach ]
  call void @_ZSt20__throw_system_errori(i32 %why)
  unreachable
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

; A spin lock is given back by a plain store with release, as x86 and SPARC do it.
define weak i32 @pthread_spin_unlock(ptr %lock) {
  store atomic i32 0, ptr %lock release, align 4
  ret i32 0
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

declare ptr @__errno_location()

; It is false only if the time limit has passed. The limit may pass at any time, whatever the clock.
define internal i1 @__fencewright_wait_until(ptr %word, i32 %value, i1 %timed) {
  %wanted = zext i32 %value to i64
  %end = select i1 %timed, ptr %word, ptr null
  %result = call i64 (i64, ...) @syscall(i64 202, ptr %word, i32 0, i64 %wanted, ptr %end)
  %woken = icmp eq i64 %result, 0
  br i1 %woken, label %yes, label %failed
failed:
  %errno = call ptr @__errno_location()
  %error = load i32, ptr %errno
  %in.time = icmp ne i32 %error, 110
  ret i1 %in.time
yes:
  ret i1 true
}

define weak i1 @_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(ptr %this, ptr %word, i32 %value, i1 %timed, i64 %s, i64 %ns) {
  %in.time = call i1 @__fencewright_wait_until(ptr %word, i32 %value, i1 %timed)
  ret i1 %in.time
}

define weak i1 @_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(ptr %this, ptr %word, i32 %value, i1 %timed, i64 %s, i64 %ns) {
  %in.time = call i1 @__fencewright_wait_until(ptr %word, i32 %value, i1 %timed)
  ret i1 %in.time
}

define weak void @_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(ptr %word) {
  %woken = call i64 (i64, ...) @syscall(i64 202, ptr %word, i32 1, i64 2147483647)
  ret void
}

; The absolute value of the smallest number overflows.
define weak i32 @abs(i32 %number) {
  %is_negative = icmp slt i32 %number, 0
  br i1 %is_negative, label %negative, label %done
negative:
  %other = sub nsw i32 0, %number
  ret i32 %other
done:
  ret i32 %number
}

define weak i64 @labs(i64 %number) {
  %is_negative = icmp slt i64 %number, 0
  br i1 %is_negative, label %negative, label %done
negative:
  %other = sub nsw i64 0, %number
  ret i64 %other
done:
  ret i64 %number
}

define weak i64 @llabs(i64 %number) {
  %other = call i64 @labs(i64 %number)
  ret i64 %other
}

define weak i64 @imaxabs(i64 %number) {
  %other = call i64 @labs(i64 %number)
  ret i64 %other
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

; Kinds of characters in the C locale, from -128 on, as the macros of glibc look them up.
@__fencewright_kinds = internal constant [384 x i16] [
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 8195, i16 8194, i16 8194, i16 8194, i16 8194, i16 2, i16 2,
  i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2,
  i16 24577, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156,
  i16 55304, i16 55304, i16 55304, i16 55304, i16 55304, i16 55304, i16 55304, i16 55304, i16 55304, i16 55304, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156,
  i16 49156, i16 54536, i16 54536, i16 54536, i16 54536, i16 54536, i16 54536, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440,
  i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 50440, i16 49156, i16 49156, i16 49156, i16 49156, i16 49156,
  i16 49156, i16 54792, i16 54792, i16 54792, i16 54792, i16 54792, i16 54792, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696,
  i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 50696, i16 49156, i16 49156, i16 49156, i16 49156, i16 2,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0,
  i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0, i16 0
]
@__fencewright_upper = internal constant [384 x i32] [
  i32 128, i32 129, i32 130, i32 131, i32 132, i32 133, i32 134, i32 135, i32 136, i32 137, i32 138, i32 139, i32 140, i32 141, i32 142, i32 143,
  i32 144, i32 145, i32 146, i32 147, i32 148, i32 149, i32 150, i32 151, i32 152, i32 153, i32 154, i32 155, i32 156, i32 157, i32 158, i32 159,
  i32 160, i32 161, i32 162, i32 163, i32 164, i32 165, i32 166, i32 167, i32 168, i32 169, i32 170, i32 171, i32 172, i32 173, i32 174, i32 175,
  i32 176, i32 177, i32 178, i32 179, i32 180, i32 181, i32 182, i32 183, i32 184, i32 185, i32 186, i32 187, i32 188, i32 189, i32 190, i32 191,
  i32 192, i32 193, i32 194, i32 195, i32 196, i32 197, i32 198, i32 199, i32 200, i32 201, i32 202, i32 203, i32 204, i32 205, i32 206, i32 207,
  i32 208, i32 209, i32 210, i32 211, i32 212, i32 213, i32 214, i32 215, i32 216, i32 217, i32 218, i32 219, i32 220, i32 221, i32 222, i32 223,
  i32 224, i32 225, i32 226, i32 227, i32 228, i32 229, i32 230, i32 231, i32 232, i32 233, i32 234, i32 235, i32 236, i32 237, i32 238, i32 239,
  i32 240, i32 241, i32 242, i32 243, i32 244, i32 245, i32 246, i32 247, i32 248, i32 249, i32 250, i32 251, i32 252, i32 253, i32 254, i32 -1,
  i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15,
  i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31,
  i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47,
  i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63,
  i32 64, i32 65, i32 66, i32 67, i32 68, i32 69, i32 70, i32 71, i32 72, i32 73, i32 74, i32 75, i32 76, i32 77, i32 78, i32 79,
  i32 80, i32 81, i32 82, i32 83, i32 84, i32 85, i32 86, i32 87, i32 88, i32 89, i32 90, i32 91, i32 92, i32 93, i32 94, i32 95,
  i32 96, i32 65, i32 66, i32 67, i32 68, i32 69, i32 70, i32 71, i32 72, i32 73, i32 74, i32 75, i32 76, i32 77, i32 78, i32 79,
  i32 80, i32 81, i32 82, i32 83, i32 84, i32 85, i32 86, i32 87, i32 88, i32 89, i32 90, i32 123, i32 124, i32 125, i32 126, i32 127,
  i32 128, i32 129, i32 130, i32 131, i32 132, i32 133, i32 134, i32 135, i32 136, i32 137, i32 138, i32 139, i32 140, i32 141, i32 142, i32 143,
  i32 144, i32 145, i32 146, i32 147, i32 148, i32 149, i32 150, i32 151, i32 152, i32 153, i32 154, i32 155, i32 156, i32 157, i32 158, i32 159,
  i32 160, i32 161, i32 162, i32 163, i32 164, i32 165, i32 166, i32 167, i32 168, i32 169, i32 170, i32 171, i32 172, i32 173, i32 174, i32 175,
  i32 176, i32 177, i32 178, i32 179, i32 180, i32 181, i32 182, i32 183, i32 184, i32 185, i32 186, i32 187, i32 188, i32 189, i32 190, i32 191,
  i32 192, i32 193, i32 194, i32 195, i32 196, i32 197, i32 198, i32 199, i32 200, i32 201, i32 202, i32 203, i32 204, i32 205, i32 206, i32 207,
  i32 208, i32 209, i32 210, i32 211, i32 212, i32 213, i32 214, i32 215, i32 216, i32 217, i32 218, i32 219, i32 220, i32 221, i32 222, i32 223,
  i32 224, i32 225, i32 226, i32 227, i32 228, i32 229, i32 230, i32 231, i32 232, i32 233, i32 234, i32 235, i32 236, i32 237, i32 238, i32 239,
  i32 240, i32 241, i32 242, i32 243, i32 244, i32 245, i32 246, i32 247, i32 248, i32 249, i32 250, i32 251, i32 252, i32 253, i32 254, i32 255
]
@__fencewright_lower = internal constant [384 x i32] [
  i32 128, i32 129, i32 130, i32 131, i32 132, i32 133, i32 134, i32 135, i32 136, i32 137, i32 138, i32 139, i32 140, i32 141, i32 142, i32 143,
  i32 144, i32 145, i32 146, i32 147, i32 148, i32 149, i32 150, i32 151, i32 152, i32 153, i32 154, i32 155, i32 156, i32 157, i32 158, i32 159,
  i32 160, i32 161, i32 162, i32 163, i32 164, i32 165, i32 166, i32 167, i32 168, i32 169, i32 170, i32 171, i32 172, i32 173, i32 174, i32 175,
  i32 176, i32 177, i32 178, i32 179, i32 180, i32 181, i32 182, i32 183, i32 184, i32 185, i32 186, i32 187, i32 188, i32 189, i32 190, i32 191,
  i32 192, i32 193, i32 194, i32 195, i32 196, i32 197, i32 198, i32 199, i32 200, i32 201, i32 202, i32 203, i32 204, i32 205, i32 206, i32 207,
  i32 208, i32 209, i32 210, i32 211, i32 212, i32 213, i32 214, i32 215, i32 216, i32 217, i32 218, i32 219, i32 220, i32 221, i32 222, i32 223,
  i32 224, i32 225, i32 226, i32 227, i32 228, i32 229, i32 230, i32 231, i32 232, i32 233, i32 234, i32 235, i32 236, i32 237, i32 238, i32 239,
  i32 240, i32 241, i32 242, i32 243, i32 244, i32 245, i32 246, i32 247, i32 248, i32 249, i32 250, i32 251, i32 252, i32 253, i32 254, i32 -1,
  i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15,
  i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31,
  i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47,
  i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63,
  i32 64, i32 97, i32 98, i32 99, i32 100, i32 101, i32 102, i32 103, i32 104, i32 105, i32 106, i32 107, i32 108, i32 109, i32 110, i32 111,
  i32 112, i32 113, i32 114, i32 115, i32 116, i32 117, i32 118, i32 119, i32 120, i32 121, i32 122, i32 91, i32 92, i32 93, i32 94, i32 95,
  i32 96, i32 97, i32 98, i32 99, i32 100, i32 101, i32 102, i32 103, i32 104, i32 105, i32 106, i32 107, i32 108, i32 109, i32 110, i32 111,
  i32 112, i32 113, i32 114, i32 115, i32 116, i32 117, i32 118, i32 119, i32 120, i32 121, i32 122, i32 123, i32 124, i32 125, i32 126, i32 127,
  i32 128, i32 129, i32 130, i32 131, i32 132, i32 133, i32 134, i32 135, i32 136, i32 137, i32 138, i32 139, i32 140, i32 141, i32 142, i32 143,
  i32 144, i32 145, i32 146, i32 147, i32 148, i32 149, i32 150, i32 151, i32 152, i32 153, i32 154, i32 155, i32 156, i32 157, i32 158, i32 159,
  i32 160, i32 161, i32 162, i32 163, i32 164, i32 165, i32 166, i32 167, i32 168, i32 169, i32 170, i32 171, i32 172, i32 173, i32 174, i32 175,
  i32 176, i32 177, i32 178, i32 179, i32 180, i32 181, i32 182, i32 183, i32 184, i32 185, i32 186, i32 187, i32 188, i32 189, i32 190, i32 191,
  i32 192, i32 193, i32 194, i32 195, i32 196, i32 197, i32 198, i32 199, i32 200, i32 201, i32 202, i32 203, i32 204, i32 205, i32 206, i32 207,
  i32 208, i32 209, i32 210, i32 211, i32 212, i32 213, i32 214, i32 215, i32 216, i32 217, i32 218, i32 219, i32 220, i32 221, i32 222, i32 223,
  i32 224, i32 225, i32 226, i32 227, i32 228, i32 229, i32 230, i32 231, i32 232, i32 233, i32 234, i32 235, i32 236, i32 237, i32 238, i32 239,
  i32 240, i32 241, i32 242, i32 243, i32 244, i32 245, i32 246, i32 247, i32 248, i32 249, i32 250, i32 251, i32 252, i32 253, i32 254, i32 255
]
@__fencewright_kinds_at = internal constant ptr getelementptr (i8, ptr @__fencewright_kinds, i64 256)
@__fencewright_upper_at = internal constant ptr getelementptr (i8, ptr @__fencewright_upper, i64 512)
@__fencewright_lower_at = internal constant ptr getelementptr (i8, ptr @__fencewright_lower, i64 512)

define weak ptr @__ctype_b_loc() {
  ret ptr @__fencewright_kinds_at
}

define weak ptr @__ctype_toupper_loc() {
  ret ptr @__fencewright_upper_at
}

define weak ptr @__ctype_tolower_loc() {
  ret ptr @__fencewright_lower_at
}
