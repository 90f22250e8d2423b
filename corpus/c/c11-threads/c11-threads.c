/* The threads of C11: two threads add their number under a recursive mutex and give it back. */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t mutex;
static once_flag once = ONCE_FLAG_INIT;
static int sum;

static void start_at_ten(void) { sum += 10; }

static int add(void *argument) {
    int number = *(int *)argument;
    call_once(&once, start_at_ten);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    sum += number;
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    return number;
}

int main(void) {
    thrd_t threads[2];
    int numbers[2] = {1, 2};
    int results[2] = {0, 0};
    assert(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&threads[i], add, &numbers[i]) == thrd_success);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], &results[i]);
    assert(results[0] == 1 && results[1] == 2);
    assert(sum == 13);
    mtx_destroy(&mutex);
    return 0;
}
