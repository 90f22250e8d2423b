/* Two readers and a writer of a pair whose halves are equal. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_pair(void *unused) {
    pthread_rwlock_wrlock(&lock);
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *read_pair(void *unused) {
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_pair, NULL);
    pthread_create(&reader, NULL, read_pair, NULL);
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        assert(left == right);
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
