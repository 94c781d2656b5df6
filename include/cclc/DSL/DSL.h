//===- DSL.h - The header that programs include -----------------*- C++ -*-===//

#ifndef CCL_DSL_DSL_H
#define CCL_DSL_DSL_H

#include "cclc/DSL/Declaration.h"
#include "cclc/DSL/Hierarchy.h"
#include "cclc/DSL/Params.h"
#include "cclc/DSL/Program.h"
#include "cclc/DSL/Rings.h"

#endif // CCL_DSL_DSL_H
