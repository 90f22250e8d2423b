/* Jobs on an intrusive list: the link is a member, the job is found from it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

struct link {
    struct link *next;
};

struct job {
    int number;
    struct link link;
};

static struct job job;
static _Atomic(struct link *) list;

static void *submit(void *unused) {
    job.number = 9;
    struct link *first = atomic_load_explicit(&list, memory_order_relaxed);
    do
        job.link.next = first;
    while (!atomic_compare_exchange_weak_explicit(&list, &first, &job.link, memory_order_relaxed,
                                                  memory_order_relaxed));
    return unused;
}

static void *work(void *unused) {
    struct link *first = atomic_exchange_explicit(&list, NULL, memory_order_acquire);
    if (first != NULL)
        assert(container_of(first, struct job, link)->number == 9);
    return unused;
}

int main(void) {
    pthread_t submitter, worker;
    pthread_create(&submitter, NULL, submit, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(submitter, NULL);
    pthread_join(worker, NULL);
    return 0;
}
