/* The compiled parts of libstdc++ that programs call and that no header has: the memory of exceptions, the classes that the
   library throws, trees, lists, hash tables, error categories, streams, atomics of any size, the lock of shared pointers; and
   functions of C that are easiest in C. `library.sh` makes
   `library.ll` of it, which is what the machine links.

   Layouts are those of libstdc++ 6 to 14 with its present ABI. All names are weak: a definition of the program's own wins.
   What is simpler here than there cannot be noticed by a program that keeps to the standard: trees are not balanced, texts
   of exceptions are copied and not shared, and say less. */
typedef unsigned long size_t;
typedef unsigned char byte;
#define WEAK __attribute__((weak))
#define STR(x) #x

void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
void _ZSt9terminatev(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

#include "library/exceptions.c"

#include "library/containers.c"

#include "library/streams.c"

#include "library/pointers.c"

#include "library/texts.c"
