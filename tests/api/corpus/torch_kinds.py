"""Kinds of change in the schemas of torch ops."""

from tests.api.corpus.case import case

CASES = (
    case("removed", "gone(Tensor a) -> ()", "", "symbol-removed gone"),
    case(
        "renamed, the schema says so",
        "quantize_rows(Tensor rows, int scale_format) -> Tensor",
        "quantise_rows(Tensor rows, int scale_format) -> Tensor",
        "symbol-renamed quantize_rows",
    ),
    case(
        "argument removed",
        "ar(Tensor a, int b=1) -> ()",
        "ar(Tensor a) -> ()",
        "parameter-removed ar b",
    ),
    case(
        "argument renamed",
        "an(Tensor a, Tensor m_indices) -> ()",
        "an(Tensor a, Tensor grouped_layout) -> ()",
        "parameter-renamed an m_indices",
    ),
    case(
        "arguments reordered",
        "ao(Tensor a, int b, int c) -> ()",
        "ao(Tensor a, int c, int b) -> ()",
        "parameter-reordered ao b, c",
    ),
    case(
        "optional argument inserted",
        "ai(Tensor a, bool fast=False) -> ()",
        "ai(Tensor a, int count=0, bool fast=False) -> ()",
        "parameter-inserted ai count",
    ),
    case(
        "required argument added",
        "aa(Tensor a) -> ()",
        "aa(Tensor a, Tensor b) -> ()",
        "parameter-added-required aa b",
    ),
    case(
        "default lost",
        "dl(Tensor a, int b=1) -> ()",
        "dl(Tensor a, int b) -> ()",
        "parameter-required dl b",
    ),
    case(
        "default gained",
        "dg(Tensor a, int gained) -> ()",
        "dg(Tensor a, int gained=1) -> ()",
        "parameter-optional dg gained",
    ),
    case(
        "default changed",
        'dc(Tensor a, str dims="nk") -> ()',
        'dc(Tensor a, str dims="mn") -> ()',
        "default-changed dc dims",
    ),
    case(
        "keyword only",
        "ko(Tensor a, int b=1) -> ()",
        "ko(Tensor a, *, int b=1) -> ()",
        "parameter-keyword-only ko b",
    ),
    case(
        "keyword takes a place",
        "kp(Tensor a, *, int wide=1) -> ()",
        "kp(Tensor a, int wide=1) -> ()",
        "parameter-kind-widened kp wide",
    ),
    case(
        "type narrowed",
        "tn(Tensor? a, Tensor b) -> ()",
        "tn(Tensor a, Tensor b) -> ()",
        "type-narrowed tn a",
    ),
    case(
        "type widened",
        "tw(Tensor a, Tensor b) -> ()",
        "tw(Tensor? a, Tensor b) -> ()",
        "type-widened tw a",
    ),
    case(
        "return changed",
        "rc(Tensor a) -> Tensor",
        "rc(Tensor a) -> (Tensor, Tensor)",
        "return-changed rc",
    ),
    case(
        "overload removed",
        "ov.one(Tensor a) -> ()\nov.two(int b) -> ()",
        "ov.one(Tensor a) -> ()",
        "overload-removed ov (b: int)",
    ),
    case(
        "argument appended",
        "ap(Tensor a) -> ()",
        "ap(Tensor a, Tensor? tail=None) -> ()",
        "parameter-added ap tail",
    ),
    # What must stay quiet.
    case(
        "unchanged",
        "q1(Any a, int[]? recipe=None, str dims='nk') -> ()",
        "q1(Any a, int[]? recipe=None, str dims='nk') -> ()",
    ),
    case(
        "an argument is written to",
        "q2(Tensor a, Tensor d) -> ()",
        "q2(Tensor a, Tensor(d!) d) -> ()",
    ),
    case("size of a list", "q3(int[2] a) -> ()", "q3(int[3] a) -> ()"),
)
