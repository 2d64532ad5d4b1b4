// Stands for NVIDIA's libnvscibuf and libnvscisync (compiled once for each, with PREFIX): counts what is alive, and keeps the
// rules of the headers as far as the library of this project relies on them.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define F(name) JOIN(PREFIX, name)

enum { SUCCESS = 0, BAD_PARAMETER = 0x100, CONFLICT = 0x124, NO_MEMORY = 0x106 };

struct thing {
    uint64_t cuda; // what CUDA does with it; the stand-in driver adds to it
    int attributes;
    int reconciled;
};

struct pair {
    uint32_t key;
    const void *value;
    size_t len;
};

static int alive, calls_until_failure;

int F(StandInAlive)(void) { return alive; }
void F(StandInFailAt)(int call) { calls_until_failure = call; }

static int make(struct thing **out, struct thing content) {
    if (calls_until_failure && --calls_until_failure == 0) return NO_MEMORY;
    *out = malloc(sizeof **out);
    **out = content;
    alive++;
    return SUCCESS;
}

static void end(struct thing *thing) {
    if (thing->cuda == UINT64_MAX) abort(); // given back twice
    thing->cuda = UINT64_MAX;
    alive--;
}

int F(ModuleOpen)(struct thing **module) { return make(module, (struct thing){0}); }
void F(ModuleClose)(struct thing *module) { end(module); }

int F(AttrListCreate)(struct thing *module, struct thing **list) { return make(list, *module); }
void F(AttrListFree)(struct thing *list) { end(list); }

int F(AttrListSetAttrs)(struct thing *list, const struct pair *pairs, size_t count) {
    if (!count || list->reconciled) return BAD_PARAMETER;
    for (size_t i = 0; i < count; i++) {
        if (!pairs[i].key || !pairs[i].len) return BAD_PARAMETER;
        list->attributes += pairs[i].key * *(const unsigned char *)pairs[i].value;
    }
    return SUCCESS;
}

int F(AttrListReconcile)(struct thing *const *lists, size_t count, struct thing **out, struct thing **conflict) {
    struct thing sum = {.reconciled = 1};
    for (size_t i = 0; i < count; i++) {
        sum.cuda |= lists[i]->cuda;
        sum.attributes += lists[i]->attributes;
    }
    if (sum.attributes > 1000) {
        make(conflict, sum);
        return CONFLICT;
    }
    return make(out, sum);
}

// What is asked for: a signaller and a waiter, or attributes that add up to 500.
int F(ObjAlloc)(struct thing *list, struct thing **object) {
    if (!list->reconciled || (list->cuda != 3 && list->attributes != 500)) return BAD_PARAMETER;
    return make(object, *list);
}
void F(ObjFree)(struct thing *object) { end(object); }
