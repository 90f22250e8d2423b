/* The atomic operations of C++ on std::shared_ptr: a part of library.c. One lock serves all pointers. */

int pthread_mutex_lock(void *);
int pthread_mutex_unlock(void *);
static long shared_pointers[5];
#define LOCKER(number) \
    WEAK void _ZNSt10_Sp_lockerC##number##EPKv(void *this, const void *pointer) { pthread_mutex_lock(shared_pointers); } \
    WEAK void _ZNSt10_Sp_lockerC##number##EPKvS1_(void *this, const void *one, const void *other) {                     \
        pthread_mutex_lock(shared_pointers);                                                                            \
    }                                                                                                                   \
    WEAK void _ZNSt10_Sp_lockerD##number##Ev(void *this) { pthread_mutex_unlock(shared_pointers); }
LOCKER(1)
LOCKER(2)
