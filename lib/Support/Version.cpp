#include "cclc/Support/Version.h"

const char *cclc::versionString() { return CCLC_VERSION; }
