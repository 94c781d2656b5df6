#include "cclc/Driver/ToolMain.h"

int main(int argc, char **argv) { return cclc::cclDiffMain(argc, argv); }
