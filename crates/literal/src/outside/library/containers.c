/* Trees, lists, hash tables, and atomics of any size: a part of library.c. */

/* Nodes of std::map and std::set. All are black but the header, by which it is known. */
struct node {
    int color, unused;
    struct node *parent, *left, *right;
};
WEAK void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
    _Bool left, struct node *node, struct node *parent, struct node *header) {
    node->parent = parent;
    node->left = node->right = 0;
    node->color = 1;
    if (left) {
        parent->left = node;
        if (parent == header) {
            header->parent = node;
            header->right = node;
        } else if (parent == header->left)
            header->left = node;
    } else {
        parent->right = node;
        if (parent == header->right)
            header->right = node;
    }
}
static struct node *next(struct node *node) {
    if (node->right) {
        for (node = node->right; node->left;)
            node = node->left;
        return node;
    }
    struct node *up = node->parent;
    while (node == up->right)
        node = up, up = up->parent;
    return node->right != up ? up : node;
}
static struct node *before(struct node *node) {
    if (node->color == 0 && node->parent->parent == node)
        return node->right;
    if (node->left) {
        for (node = node->left; node->right;)
            node = node->right;
        return node;
    }
    struct node *up = node->parent;
    while (node == up->left)
        node = up, up = up->parent;
    return up;
}
WEAK struct node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct node *node) { return next(node); }
WEAK struct node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(struct node *node) { return next(node); }
WEAK struct node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct node *node) { return before(node); }
WEAK struct node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(struct node *node) { return before(node); }
static void replace(struct node *node, struct node *by, struct node *header) {
    struct node *up = node->parent;
    if (up == header)
        header->parent = by;
    else if (up->left == node)
        up->left = by;
    else
        up->right = by;
    if (by)
        by->parent = up;
}
WEAK struct node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct node *node, struct node *header) {
    if (header->left == node)
        header->left = next(node);
    if (header->right == node)
        header->right = before(node);
    if (!node->left)
        replace(node, node->right, header);
    else if (!node->right)
        replace(node, node->left, header);
    else {
        struct node *heir = node->right;
        while (heir->left)
            heir = heir->left;
        if (heir != node->right) {
            replace(heir, heir->right, header);
            heir->right = node->right;
            heir->right->parent = heir;
        }
        replace(node, heir, header);
        heir->left = node->left;
        heir->left->parent = heir;
    }
    if (!header->parent)
        header->left = header->right = header;
    return node;
}

/* std::list. */
struct link {
    struct link *next, *before;
};
WEAK void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *this, struct link *at) {
    this->next = at;
    this->before = at->before;
    at->before->next = this;
    at->before = this;
}
WEAK void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *this) {
    this->before->next = this->next;
    this->next->before = this->before;
}
WEAK void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *this, struct link *first, struct link *last) {
    if (this == last)
        return;
    last->before->next = this;
    first->before->next = last;
    this->before->next = first;
    struct link *mine = this->before;
    this->before = last->before;
    last->before = first->before;
    first->before = mine;
}
WEAK void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct link *this) {
    struct link *at = this;
    do {
        struct link *next = at->next;
        at->next = at->before;
        at->before = next;
        at = next;
    } while (at != this);
}
WEAK void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct link *a, struct link *b) {
    struct link mine = *a;
    *a = *b;
    *b = mine;
    if (a->next == b)
        a->next = a->before = a;
    else
        a->next->before = a->before->next = a;
    if (b->next == a)
        b->next = b->before = b;
    else
        b->next->before = b->before->next = b;
}

/* Hash tables. */
WEAK size_t _ZSt11_Hash_bytesPKvmm(const byte *bytes, size_t length, size_t seed) {
    const size_t mul = 0xc6a4a7935bd1e995ul;
    size_t hash = seed ^ length * mul;
    size_t at = 0;
    for (; at + 8 <= length; at += 8) {
        size_t part;
        memcpy(&part, bytes + at, 8);
        part *= mul;
        part ^= part >> 47;
        hash = (hash ^ part * mul) * mul;
    }
    if (at < length) {
        size_t part = 0;
        for (size_t last = length; last > at; last--)
            part = part << 8 | bytes[last - 1];
        hash = (hash ^ part) * mul;
    }
    hash = (hash ^ hash >> 47) * mul;
    return hash ^ hash >> 47;
}
WEAK size_t _ZSt15_Fnv_hash_bytesPKvmm(const byte *bytes, size_t length, size_t hash) {
    for (size_t at = 0; at < length; at++)
        hash = (hash ^ bytes[at]) * 1099511628211ul;
    return hash;
}
struct policy {
    float most;
    size_t next;
};
struct rehash {
    _Bool needed;
    size_t buckets;
};
static size_t buckets(struct policy *this, size_t n) {
    if (n == 0)
        return 1;
    for (n = n < 2 ? 2 : n;; n++) {
        size_t by = 2;
        while (by * by <= n && n % by)
            by++;
        if (by * by > n)
            break;
    }
    this->next = (size_t)((double)n * this->most);
    return n;
}
WEAK size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct policy *this, size_t n) { return buckets(this, n); }
WEAK struct rehash _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
    struct policy *this, size_t have, size_t elements, size_t more) {
    if (elements + more <= this->next)
        return (struct rehash){0, 0};
    size_t n = elements + more;
    if (!this->next && n < 11)
        n = 11;
    size_t wanted = (size_t)((double)n / this->most);
    if (wanted < have) {
        this->next = (size_t)((double)have * this->most);
        return (struct rehash){0, 0};
    }
    wanted = wanted + 1 < have * 2 ? have * 2 : wanted + 1;
    return (struct rehash){1, buckets(this, wanted)};
}

/* ---- Atomics that no instruction has: under a lock, as in libatomic ---- */

WEAK void sized_atomic_load(size_t size, void *at, void *to, int order) {
    __VERIFIER_atomic_begin();
    memcpy(to, at, size);
    __VERIFIER_atomic_end();
}
WEAK void sized_atomic_store(size_t size, void *at, void *from, int order) {
    __VERIFIER_atomic_begin();
    memcpy(at, from, size);
    __VERIFIER_atomic_end();
}
WEAK void sized_atomic_exchange(size_t size, void *at, void *from, void *to, int order) {
    __VERIFIER_atomic_begin();
    memcpy(to, at, size);
    memcpy(at, from, size);
    __VERIFIER_atomic_end();
}
WEAK _Bool sized_atomic_compare_exchange(size_t size, void *at, void *expected, void *from, int success, int failure) {
    __VERIFIER_atomic_begin();
    _Bool same = memcmp(at, expected, size) == 0;
    memcpy(same ? at : expected, same ? from : at, size);
    __VERIFIER_atomic_end();
    return same;
}
WEAK _Bool sized_atomic_is_lock_free(size_t size, void *at) { return size <= 8 && (size & (size - 1)) == 0; }

