/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads are the test's own matter. */
