"""The language of MSCCLang: python3 -m cclc.msccl PROGRAM ARGS runs its scripts unchanged."""
