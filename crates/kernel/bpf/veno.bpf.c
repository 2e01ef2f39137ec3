/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
#include "veno.h"
#include "host.h"
