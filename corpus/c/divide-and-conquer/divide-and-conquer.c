/* A sum by recursion: a thread for the left half, the right half itself. Threads create threads. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct task {
    const int *numbers;
    int count;
    int sum;
};

static void *add_up(void *argument) {
    struct task *task = argument;
    if (task->count == 1) {
        task->sum = task->numbers[0];
        return NULL;
    }
    int half = task->count / 2;
    struct task left = {task->numbers, half, 0};
    struct task right = {task->numbers + half, task->count - half, 0};
    pthread_t helper;
    pthread_create(&helper, NULL, add_up, &left);
    add_up(&right);
    pthread_join(helper, NULL);
    task->sum = left.sum + right.sum;
    return NULL;
}

int main(void) {
    static const int numbers[3] = {1, 2, 3};
    struct task all = {numbers, 3, 0};
    add_up(&all);
    assert(all.sum == 6);
    return 0;
}
