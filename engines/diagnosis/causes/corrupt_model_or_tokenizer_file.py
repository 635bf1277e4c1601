"""A model/tokenizer file on disk is truncated, a Git-LFS pointer or of the wrong format."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="corrupt-model-or-tokenizer-file",
    card="damaged-weight-files",
    signs=(
        Sign(
            5.0,
            (
                r"header ?too ?large|invalid load key|git-?lfs|incomplete metadata, file not fully covered"
                r"|safetensorerror|invalidheader|metadataincompletebuffer|unexpected eof"
                r"|pytorchstreamreader failed|file in archive is not|expected value at line 1 column 1"
                r"|jsondecodeerror|not a zip file"
            ),
        ),
        Sign(
            3.0,
            r"truncated|corrupt\w*(?!\w|/incomplete)|pointer file|damaged",
            r"file|model|tokenizer|safetensors|download",
        ),
        Sign(
            -4.0,
            r"checkpointexception|\.distcp|dcp\.load",
        ),
    ),
    cost="a download",
    confirm="sha256sum equals the published one",
)
