/* Exceptions and the classes that the library throws: a part of library.c. */

/* Before each thrown object: who destroys it, and how many know it. */
struct head {
    const void *type;
    void (*destroy)(void *);
    unsigned count, unused[3];
};
#define HEAD(object) ((struct head *)(object) - 1)

/* The machine's part: the way of an exception up the stack. */
_Noreturn void __fencewright_throw(void *object, const void *type);
void *__fencewright_end_catch(void);
void *__fencewright_handled(void);

WEAK void *__cxa_allocate_exception(size_t size) {
    struct head *head = malloc(sizeof *head + size);
    head->count = 0;
    return head + 1;
}
WEAK void __cxa_free_exception(void *object) { free(HEAD(object)); }
WEAK void *__cxa_init_primary_exception(void *object, const void *type, void (*destroy)(void *)) {
    HEAD(object)->type = type;
    HEAD(object)->destroy = destroy;
    return HEAD(object);
}
static void keep(void *object) {
    if (object)
        __atomic_fetch_add(&HEAD(object)->count, 1, __ATOMIC_ACQ_REL);
}
static void release(void *object) {
    if (object && __atomic_sub_fetch(&HEAD(object)->count, 1, __ATOMIC_ACQ_REL) == 0) {
        if (HEAD(object)->destroy)
            HEAD(object)->destroy(object);
        free(HEAD(object));
    }
}
WEAK _Noreturn void __cxa_throw(void *object, const void *type, void (*destroy)(void *)) {
    __cxa_init_primary_exception(object, type, destroy);
    HEAD(object)->count = 1;
    __fencewright_throw(object, type);
}
WEAK void __cxa_end_catch(void) { release(__fencewright_end_catch()); }

/* std::exception_ptr is the address of the object. */
WEAK void _ZSt17current_exceptionv(void **result) {
    *result = __fencewright_handled();
    keep(*result);
}
WEAK _Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **which) {
    void *object = *which;
    if (!object)
        _ZSt9terminatev();
    keep(object);
    __fencewright_throw(object, HEAD(object)->type);
}
WEAK void _ZNSt15__exception_ptr13exception_ptrC1EPv(void **this, void *object) {
    *this = object;
    keep(object);
}
WEAK void _ZNSt15__exception_ptr13exception_ptrC2EPv(void **this, void *object) {
    *this = object;
    keep(object);
}
WEAK void _ZNSt15__exception_ptr13exception_ptrC1ERKS0_(void **this, void **other) {
    *this = *other;
    keep(*this);
}
WEAK void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **this) { keep(*this); }
WEAK void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **this) {
    void *object = *this;
    *this = 0;
    release(object);
}
WEAK void _ZNSt15__exception_ptr13exception_ptrD1Ev(void **this) { release(*this); }
WEAK const void *_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv(void **this) { return HEAD(*this)->type; }
WEAK void _ZNSt15__exception_ptr13exception_ptr4swapERS0_(void **this, void **other) {
    void *mine = *this;
    *this = *other;
    *other = mine;
}

/* ---- The classes that the library throws ---- */

extern void *_ZTVN10__cxxabiv117__class_type_infoE[], *_ZTVN10__cxxabiv120__si_class_type_infoE[];

/* std::string: the text, its length, and room for short ones. */
struct string {
    char *text;
    size_t length;
    char room[16];
};
static void make_string(struct string *to, const char *text, size_t length) {
    to->text = length < sizeof to->room ? to->room : malloc(length + 1);
    to->length = length;
    memcpy(to->text, text, length);
    to->text[length] = 0;
    if (to->text != to->room)
        *(size_t *)to->room = length;
}

struct error {
    void **table;
    char *text;
};
static char *copied(const char *text) {
    size_t length = strlen(text) + 1;
    return memcpy(malloc(length), text, length);
}
static void nothing(void *this) {}
static void end_error(struct error *this) { free(this->text); }

#define TYPE(mangled, base)                                                                              \
    WEAK const char _ZTS##mangled[] = STR(mangled);                                                      \
    extern void *const _ZTI##base[];                                                                     \
    WEAK void *const _ZTI##mangled[] = {&_ZTVN10__cxxabiv120__si_class_type_infoE[2], (void *)_ZTS##mangled, \
                                        (void *)_ZTI##base};
#define TABLE(mangled, what)                                                                             \
    WEAK void *const _ZTV##mangled[] = {0, (void *)_ZTI##mangled, _ZN##mangled##D1Ev, _ZN##mangled##D0Ev, what};

WEAK const char _ZTSSt9exception[] = "St9exception";
WEAK void *const _ZTISt9exception[] = {&_ZTVN10__cxxabiv117__class_type_infoE[2], (void *)_ZTSSt9exception};

/* A class without data, and the text that it gives. */
#define PLAIN_OF(mangled, shown)                                                                         \
    WEAK const char *_ZNK##mangled##4whatEv(void *this) { return shown; }                                \
    WEAK void _ZN##mangled##D1Ev(void *this) {}                                                          \
    WEAK void _ZN##mangled##D2Ev(void *this) {}                                                          \
    WEAK void _ZN##mangled##D0Ev(void *this) { free(this); }                                             \
    TABLE(mangled, _ZNK##mangled##4whatEv)
#define PLAIN(mangled, base, shown)                                                                      \
    TYPE(mangled, base)                                                                                  \
    PLAIN_OF(mangled, shown)
PLAIN_OF(St9exception, "std::exception")
PLAIN(St13bad_exception, St9exception, "std::bad_exception")
PLAIN(St9bad_alloc, St9exception, "std::bad_alloc")
PLAIN(St20bad_array_new_length, St9bad_alloc, "std::bad_array_new_length")
PLAIN(St8bad_cast, St9exception, "std::bad_cast")
PLAIN(St10bad_typeid, St9exception, "std::bad_typeid")
PLAIN(St12bad_weak_ptr, St9exception, "bad_weak_ptr")
PLAIN(St17bad_function_call, St9exception, "bad_function_call")

/* A class with a text. Constructors for a text, a std::string and another one of the class; of a whole object and of a base. */
#define ERROR(mangled, base)                                                                             \
    TYPE(mangled, base)                                                                                  \
    extern void *const _ZTV##mangled[];                                                                  \
    WEAK void _ZN##mangled##C1EPKc(struct error *this, const char *text) {                               \
        this->table = (void **)&_ZTV##mangled[2];                                                        \
        this->text = copied(text);                                                                       \
    }                                                                                                    \
    WEAK void _ZN##mangled##C2EPKc(struct error *this, const char *text) { _ZN##mangled##C1EPKc(this, text); } \
    WEAK void _ZN##mangled##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(                   \
        struct error *this, struct string *text) {                                                       \
        _ZN##mangled##C1EPKc(this, text->text);                                                          \
    }                                                                                                    \
    WEAK void _ZN##mangled##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(                   \
        struct error *this, struct string *text) {                                                       \
        _ZN##mangled##C1EPKc(this, text->text);                                                          \
    }                                                                                                    \
    WEAK void _ZN##mangled##C1ERKS_(struct error *this, struct error *other) { _ZN##mangled##C1EPKc(this, other->text); } \
    WEAK void _ZN##mangled##C2ERKS_(struct error *this, struct error *other) { _ZN##mangled##C1EPKc(this, other->text); } \
    WEAK void _ZN##mangled##C1EOS_(struct error *this, struct error *other) { _ZN##mangled##C1EPKc(this, other->text); } \
    WEAK void _ZN##mangled##C2EOS_(struct error *this, struct error *other) { _ZN##mangled##C1EPKc(this, other->text); } \
    ENDS(mangled)
#define ENDS(mangled)                                                                                    \
    WEAK const char *_ZNK##mangled##4whatEv(struct error *this) { return this->text; }                   \
    WEAK void _ZN##mangled##D1Ev(struct error *this) { end_error(this); }                                \
    WEAK void _ZN##mangled##D2Ev(struct error *this) { end_error(this); }                                \
    WEAK void _ZN##mangled##D0Ev(struct error *this) {                                                   \
        end_error(this);                                                                                 \
        free(this);                                                                                      \
    }                                                                                                    \
    TABLE(mangled, _ZNK##mangled##4whatEv)
ERROR(St11logic_error, St9exception)
ERROR(St12domain_error, St11logic_error)
ERROR(St16invalid_argument, St11logic_error)
ERROR(St12length_error, St11logic_error)
ERROR(St12out_of_range, St11logic_error)
ERROR(St13runtime_error, St9exception)
ERROR(St11range_error, St13runtime_error)
ERROR(St14overflow_error, St13runtime_error)
ERROR(St15underflow_error, St13runtime_error)

/* std::system_error and std::future_error have a code behind the text. */
struct category;
struct code {
    int value;
    struct category *category;
};
struct coded {
    struct error error;
    struct code code;
};
TYPE(St12system_error, St13runtime_error)
ENDS(St12system_error)
TYPE(St12future_error, St11logic_error)
ENDS(St12future_error)

#define THROW(type, object) __cxa_throw(object, _ZTI##type, (void (*)(void *))_ZN##type##D1Ev)
#define THROWS_PLAIN(function, type)                                                                     \
    WEAK _Noreturn void _ZSt##function##v(void) {                                                        \
        struct error *it = __cxa_allocate_exception(sizeof(void *));                                     \
        it->table = (void **)&_ZTV##type[2];                                                             \
        THROW(type, it);                                                                                 \
    }
#define THROWS(function, type)                                                                           \
    WEAK _Noreturn void _ZSt##function##PKc(const char *text) {                                          \
        struct error *it = __cxa_allocate_exception(sizeof *it);                                         \
        _ZN##type##C1EPKc(it, text);                                                                     \
        THROW(type, it);                                                                                 \
    }
THROWS_PLAIN(17__throw_bad_alloc, St9bad_alloc)
THROWS_PLAIN(28__throw_bad_array_new_length, St20bad_array_new_length)
THROWS_PLAIN(16__throw_bad_cast, St8bad_cast)
THROWS_PLAIN(18__throw_bad_typeid, St10bad_typeid)
THROWS_PLAIN(21__throw_bad_exception, St13bad_exception)
THROWS_PLAIN(25__throw_bad_function_call, St17bad_function_call)
THROWS(19__throw_logic_error, St11logic_error)
THROWS(20__throw_domain_error, St12domain_error)
THROWS(24__throw_invalid_argument, St16invalid_argument)
THROWS(20__throw_length_error, St12length_error)
THROWS(20__throw_out_of_range, St12out_of_range)
THROWS(21__throw_runtime_error, St13runtime_error)
THROWS(19__throw_range_error, St11range_error)
THROWS(22__throw_overflow_error, St14overflow_error)
THROWS(23__throw_underflow_error, St15underflow_error)
/* The numbers are not put into the text. */
WEAK _Noreturn void _ZSt24__throw_out_of_range_fmtPKcz(const char *text, ...) { _ZSt20__throw_out_of_rangePKc(text); }
WEAK _Noreturn void __cxa_bad_cast(void) { _ZSt16__throw_bad_castv(); }
WEAK _Noreturn void __cxa_bad_typeid(void) { _ZSt18__throw_bad_typeidv(); }
WEAK _Noreturn void __cxa_throw_bad_array_new_length(void) { _ZSt28__throw_bad_array_new_lengthv(); }

/* Categories of error codes, by their virtual functions. */
struct category {
    void *const *table;
};
struct condition {
    int value;
    struct category *category;
};
static const char *name(struct category *this) { return "error"; }
static void message(struct string *result, struct category *this, int value) { make_string(result, "error", 5); }
static struct condition condition_of(struct category *this, int value) { return (struct condition){value, this}; }
static _Bool is_condition(struct category *this, int value, struct condition *other) {
    return this == other->category && value == other->value;
}
static _Bool is_code(struct category *this, struct code *other, int value) {
    return this == other->category && value == other->value;
}
static void *const category_table[] = {0, 0, nothing, nothing, name, nothing, message, condition_of, is_condition, is_code};
WEAK void _ZNSt3_V214error_categoryD2Ev(struct category *this) {}
static struct category generic = {&category_table[2]}, systems = {&category_table[2]}, futures = {&category_table[2]};
WEAK struct category *_ZNSt3_V216generic_categoryEv(void) { return &generic; }
WEAK struct category *_ZNSt3_V215system_categoryEv(void) { return &systems; }
WEAK struct category *_ZSt15future_categoryv(void) { return &futures; }
WEAK _Noreturn void _ZSt20__throw_system_errori(int value) {
    struct coded *it = __cxa_allocate_exception(sizeof *it);
    it->error.table = (void **)&_ZTVSt12system_error[2];
    it->error.text = copied("system error");
    it->code = (struct code){value, &generic};
    THROW(St12system_error, it);
}
WEAK _Noreturn void _ZSt20__throw_future_errori(int value) {
    struct coded *it = __cxa_allocate_exception(sizeof *it);
    it->error.table = (void **)&_ZTVSt12future_error[2];
    it->error.text = copied("std::future_error");
    it->code = (struct code){value, &futures};
    THROW(St12future_error, it);
}

/* The result of a future: a table, and a pointer to an exception. */
WEAK void _ZNSt13__future_base12_Result_baseC2Ev(void **this) { this[1] = 0; }
WEAK void _ZNSt13__future_base12_Result_baseD2Ev(void **this) { release(this[1]); }

