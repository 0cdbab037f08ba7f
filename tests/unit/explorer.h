/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs two actors over shared memory in every order that is possible.
 *
 * An actor is a plain function that yields before it reads shared memory and
 * at every full barrier. What it writes waits in a store buffer first, as on
 * x86: that another CPU sees it is a step of its own. A schedule is the list
 * of choices between the steps that are possible; all of them are tried,
 * depth first, each from a fresh start.
 */
#ifndef XENBLK_EXPLORER_H
#define XENBLK_EXPLORER_H

#include <stdlib.h>
#include <ucontext.h>

#include "ring.h"

#define EXPLORER_ACTORS		2
#define EXPLORER_STACK		65536
#define EXPLORER_STORES		8
#define EXPLORER_DEPTH		256
#define EXPLORER_STATES		1048576

struct explorer_store {
	u32 *to;
	u32 value;
};

struct explorer_actor {
	ucontext_t context;
	char *stack;
	struct explorer_store stores[EXPLORER_STORES];
	unsigned int nr_stores;
	u64 history;
	bool finished;
	bool asleep;
};

static struct explorer {
	struct explorer_actor actors[EXPLORER_ACTORS];
	struct explorer_actor *current;
	ucontext_t scheduler;
	u8 path[EXPLORER_DEPTH];
	u8 width[EXPLORER_DEPTH];
	unsigned int depth;
	unsigned int schedules;
	unsigned int nr_states;
	u64 *states;
	const u32 *memory;
	unsigned int memory_words;
	bool cut_short;
	bool doorbell;
	bool deaf_barriers;
} explorer;

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

static void explorer_yield(void)
{
	explorer.current->history = mix(explorer.current->history, 1);
	swapcontext(&explorer.current->context, &explorer.scheduler);
}

static void explorer_drain_one(struct explorer_actor *actor)
{
	unsigned int i;

	*actor->stores[0].to = actor->stores[0].value;
	actor->nr_stores--;
	for (i = 0; i < actor->nr_stores; i++)
		actor->stores[i] = actor->stores[i + 1];
}

u32 shim_load(const u32 *from)
{
	struct explorer_actor *actor;
	unsigned int i;
	u32 value;

	/* Slots change hands with the indexes: only these are raced for. */
	if (from < explorer.memory ||
	    from >= explorer.memory + explorer.memory_words)
		return *from;
	explorer_yield();
	actor = explorer.current;
	value = *from;
	for (i = 0; i < actor->nr_stores; i++)
		if (actor->stores[i].to == from)
			value = actor->stores[i].value;
	actor->history = mix(actor->history, value);
	return value;
}

void shim_store(u32 *to, u32 value)
{
	struct explorer_actor *actor = explorer.current;

	if (actor->nr_stores == EXPLORER_STORES)
		abort();
	actor->stores[actor->nr_stores].to = to;
	actor->stores[actor->nr_stores++].value = value;
}

void shim_barrier(enum shim_barrier barrier)
{
	if (barrier != SHIM_MB || explorer.deaf_barriers)
		return;
	if (explorer.current->nr_stores)
		explorer_yield();
	while (explorer.current->nr_stores)
		explorer_drain_one(explorer.current);
}

static void explorer_ring_doorbell(void)
{
	explorer_yield();
	explorer.doorbell = true;
}

static void explorer_sleep(void)
{
	explorer.current->asleep = true;
	explorer_yield();
	explorer.current->asleep = false;
	explorer.doorbell = false;
}

static u64 state_key(void)
{
	u64 key = explorer.doorbell;
	unsigned int i, j;

	for (i = 0; i < explorer.memory_words; i++)
		key = mix(key, explorer.memory[i]);
	for (i = 0; i < EXPLORER_ACTORS; i++) {
		const struct explorer_actor *actor = &explorer.actors[i];

		key = mix(key, actor->history);
		for (j = 0; j < actor->nr_stores; j++)
			key = mix(key, actor->stores[j].value);
		key = mix(key, actor->nr_stores);
	}
	return key ? key : 1;
}

/* Was the present state met before? It is from now on. */
static bool known_state(void)
{
	u64 key = state_key();
	u32 at = key % EXPLORER_STATES;

	while (explorer.states[at] && explorer.states[at] != key)
		at = (at + 1) % EXPLORER_STATES;
	if (explorer.states[at] == key)
		return true;
	explorer.states[at] = key;
	if (++explorer.nr_states > EXPLORER_STATES / 2)
		abort();
	return false;
}

static bool can_run(const struct explorer_actor *actor)
{
	return !actor->finished && (!actor->asleep || explorer.doorbell);
}

/* Steps 0 and 1 run an actor, 2 and 3 drain a store of one. */
static unsigned int possible_steps(u8 *steps)
{
	unsigned int i, nr = 0;

	for (i = 0; i < EXPLORER_ACTORS; i++) {
		if (can_run(&explorer.actors[i]))
			steps[nr++] = i;
		if (explorer.actors[i].nr_stores)
			steps[nr++] = EXPLORER_ACTORS + i;
	}
	return nr;
}

static void take_step(u8 step)
{
	if (step >= EXPLORER_ACTORS) {
		explorer_drain_one(&explorer.actors[step - EXPLORER_ACTORS]);
		return;
	}
	explorer.current = &explorer.actors[step];
	swapcontext(&explorer.scheduler, &explorer.current->context);
}

static void run_schedule(void)
{
	u8 steps[2 * EXPLORER_ACTORS];
	unsigned int nr, at;

	for (at = 0; (nr = possible_steps(steps)) > 0; at++) {
		if (at == EXPLORER_DEPTH)
			abort();
		if (at == explorer.depth) {
			explorer.cut_short = known_state();
			if (explorer.cut_short)
				return;
			explorer.path[at] = 0;
			explorer.width[at] = nr;
			explorer.depth++;
		}
		take_step(steps[explorer.path[at]]);
	}
}

static void actor_entry(unsigned int index, unsigned int low, unsigned int high)
{
	uintptr_t address = (uintptr_t)high << 32 | low;

	((void (*)(void))address)();
	explorer.actors[index].finished = true;
	explorer_yield();
}

static void start_actor(unsigned int index, void (*body)(void))
{
	struct explorer_actor *actor = &explorer.actors[index];
	uintptr_t address = (uintptr_t)body;

	if (!actor->stack)
		actor->stack = malloc(EXPLORER_STACK);
	actor->nr_stores = 0;
	actor->history = 0;
	actor->finished = false;
	actor->asleep = false;
	getcontext(&actor->context);
	actor->context.uc_stack.ss_sp = actor->stack;
	actor->context.uc_stack.ss_size = EXPLORER_STACK;
	makecontext(&actor->context, (void (*)(void))actor_entry, 3, index,
		    (unsigned int)address, (unsigned int)(address >> 32));
}

/**
 * explorer_begin() - forget what was explored
 * @memory: what the actors share
 * @nr_words: of it
 */
static void explorer_begin(const u32 *memory, unsigned int nr_words)
{
	if (!explorer.states)
		explorer.states = malloc(EXPLORER_STATES * sizeof(u64));
	memset(explorer.states, 0, EXPLORER_STATES * sizeof(u64));
	explorer.nr_states = 0;
	explorer.schedules = 0;
	explorer.depth = 0;
	explorer.memory = memory;
	explorer.memory_words = nr_words;
}

static bool next_path(void)
{
	while (explorer.depth) {
		unsigned int last = explorer.depth - 1;

		if (++explorer.path[last] < explorer.width[last])
			return true;
		explorer.depth--;
	}
	return false;
}

/**
 * explorer_next() - run the next schedule
 * @bodies: what the actors do
 *
 * The caller makes the shared memory fresh before each call.
 *
 * Return: false when all schedules were run before; nothing ran then.
 */
static bool explorer_next(void (*const bodies[])(void))
{
	unsigned int i;

	if (explorer.schedules++ && !next_path())
		return false;
	explorer.cut_short = false;
	explorer.doorbell = false;
	for (i = 0; i < EXPLORER_ACTORS; i++)
		start_actor(i, bodies[i]);
	run_schedule();
	return true;
}

#endif /* XENBLK_EXPLORER_H */
