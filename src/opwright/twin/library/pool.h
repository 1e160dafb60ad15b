// The pool: threads that help with launches.
//
// In: launches, from any number of threads at once. Out: the same launches, complete. The caller works on its own
// launch and would finish it alone; helpers join while groups are left to start. Everything the library remembers
// between launches is reached from one Pool, which is never freed: threads that sleep in it do not hold up the end
// of the process. After a fork the child has the caller's thread only, and locks in any state: they are made anew.
#pragma once

#include <sched.h>
#include <signal.h>

#include "scheduler.h"

namespace opwright {

constexpr uint32_t kMaxThreads = 256;

struct Pool {
    pthread_key_t worker_of_thread;  // a calling thread's Worker, freed when the thread ends
    bool spins;                      // more than one processor
    pthread_mutex_t mutex;
    pthread_cond_t work;
    Launch* queue;      // launches that want help, oldest first
    uint32_t threads;   // made so far
    uint32_t sleeping;  // of them, waiting for `work`
    uint32_t spinning;  // of them, watching `posted`
    uint32_t posted;    // atomic: how many launches have been queued
};

// Static, not inline: two builds of the library in one process must not come to share it.
static Pool* the_pool = nullptr;

OPWRIGHT_COLD void pool_reset(Pool* pool) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef __GLIBC__
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);  // held for a few dozen instructions
#endif
    pthread_mutex_init(&pool->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_cond_init(&pool->work, nullptr);
    pool->queue = nullptr;
    pool->threads = pool->sleeping = pool->spinning = 0;
}

OPWRIGHT_COLD void pool_after_fork() {
    if (Pool* pool = load(the_pool)) pool_reset(pool);
}

OPWRIGHT_COLD Pool* pool_create() {
    auto pool = static_cast<Pool*>(calloc(1, sizeof(Pool)));
    if (!pool) return nullptr;
    auto at_thread_end = [](void* worker) { worker_destroy(static_cast<Worker*>(worker)); };
    if (pthread_key_create(&pool->worker_of_thread, at_thread_end) != 0) {
        free(pool);
        return nullptr;
    }
    cpu_set_t allowed;
    pool->spins = sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > 1;
    pool_reset(pool);
    // Before the pool is published, so that no fork can miss it; harmless when done twice.
    pthread_atfork(nullptr, nullptr, pool_after_fork);
    Pool* other = nullptr;
    if (__atomic_compare_exchange_n(&the_pool, &other, pool, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return pool;
    pthread_key_delete(pool->worker_of_thread);  // another thread was first
    free(pool);
    return other;
}

inline Pool* pool_get() {
    Pool* pool = load(the_pool);
    return pool ? pool : pool_create();
}

inline Worker* pool_worker_of_caller(Pool* pool) {
    auto worker = static_cast<Worker*>(pthread_getspecific(pool->worker_of_thread));
    if (worker) return worker;
    worker = static_cast<Worker*>(calloc(1, sizeof(Worker)));
    if (worker) pthread_setspecific(pool->worker_of_thread, worker);
    return worker;
}

// Under the mutex: the oldest launch that has use for one more helper.
inline Launch* pool_join(Pool* pool) {
    for (Launch* launch = pool->queue; launch; launch = launch->following) {
        if (!launch->wanted || !launch_has_groups(*launch)) continue;
        --launch->wanted;
        ++launch->active;
        store(launch->helpers, launch->helpers + 1);
        return launch;
    }
    return nullptr;
}

// Under the mutex. The count of helpers is the last thing touched: a caller that sees 0 returns and the launch is gone.
inline void pool_leave(Launch* launch) {
    launch_rest(*launch);
    if (launch->helpers == 1 && launch->sleepers) pthread_cond_broadcast(&launch->changed);
    store(launch->helpers, launch->helpers - 1);
}

inline void* pool_thread(void* argument) {
    auto pool = static_cast<Pool*>(argument);
    auto worker = static_cast<Worker*>(calloc(1, sizeof(Worker)));
    pthread_mutex_lock(&pool->mutex);
    while (worker) {
        if (Launch* launch = pool_join(pool)) {
            pthread_mutex_unlock(&pool->mutex);
            worker_run(worker, *launch);
            pthread_mutex_lock(&pool->mutex);
            pool_leave(launch);
            continue;
        }
        uint32_t seen = load(pool->posted);
        ++pool->spinning;
        pthread_mutex_unlock(&pool->mutex);
        bool more = spin(pool->spins, [&] { return load(pool->posted) != seen; });
        pthread_mutex_lock(&pool->mutex);
        --pool->spinning;
        if (more || load(pool->posted) != seen) continue;
        ++pool->sleeping;
        pthread_cond_wait(&pool->work, &pool->mutex);
        --pool->sleeping;
    }
    --pool->threads;  // no memory for a worker: a later launch may try again
    pthread_mutex_unlock(&pool->mutex);
    return nullptr;
}

// Under the mutex. Failing is harmless: launches get by with the threads there are.
OPWRIGHT_COLD void pool_grow(Pool* pool, uint32_t threads) {
    if (threads > kMaxThreads) threads = kMaxThreads;
    if (pool->threads >= threads) return;
    // Signals meant for the process belong to threads of the program; those that an instruction raises stay open.
    sigset_t blocked, before;
    sigfillset(&blocked);
    const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (int number : raised) sigdelset(&blocked, number);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    while (pool->threads < threads && pthread_create(&thread, &attributes, pool_thread, pool) == 0) ++pool->threads;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

__attribute__((noinline)) static void pool_post(Pool* pool, Launch& launch) {
    pthread_mutex_lock(&pool->mutex);
    pool_grow(pool, launch.wanted);
    Launch** end = &pool->queue;
    while (*end) end = &(*end)->following;
    *end = &launch;
    store(pool->posted, pool->posted + 1);
    // Those that spin come by themselves.
    uint32_t wake = launch.wanted > pool->spinning ? launch.wanted - pool->spinning : 0;
    if (wake > pool->sleeping) wake = pool->sleeping;
    while (wake--) pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

// The caller has nothing left to do: takes the launch out of the queue and waits for the helpers' own fibers.
__attribute__((noinline)) static void pool_finish(Pool* pool, Launch& launch) {
    pthread_mutex_lock(&pool->mutex);
    Launch** place = &pool->queue;
    while (*place != &launch) place = &(*place)->following;
    *place = launch.following;
    launch_rest(launch);
    pthread_mutex_unlock(&pool->mutex);
    auto alone = [&] { return load(launch.helpers) == 0; };
    if (spin(launch.spins, alone)) return;
    pthread_mutex_lock(&pool->mutex);
    ++launch.sleepers;
    while (!alone()) pthread_cond_wait(&launch.changed, &pool->mutex);
    --launch.sleepers;
    pthread_mutex_unlock(&pool->mutex);
}

}  // namespace opwright
