/* SPDX-License-Identifier: GPL-2.0-only */
/* Empty: a 64-bit machine has no C library headers for 32 bits. */
