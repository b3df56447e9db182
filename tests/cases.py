"""Which test proves what dgpin says to each known fault of DeepGEMM pins and builds.

The cases are public reports, sorted by kind: A pin sites, B forks, C mechanics of a move, D builds,
E binary interfaces, F changes of the API, G packaging, H kernels compiled at run time, I behaviour,
J identity, and L facts of released trees. A case whose test is elsewhere than in its own words, or
that no test of this project can show, says why.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """The tests that prove a case, as `module::function`, and what they do not show."""

    tests: tuple[str, ...] = ()
    note: str = ""


_CASES = "tests.integration.test_pin_cases"
_REFUSALS = "tests.integration.test_refusals"
_HOSTS = "tests.real.test_hosts"
_REPLAY = "tests.real.test_replay"
_FACTS = "tests.real.test_facts"
_ENVIRONMENT = "tests.integration.test_environment"
_ARTEFACT = "tests.integration.build.test_artefact"
_PREFLIGHT = "tests.integration.build.test_preflight"
_BUILD = "tests.integration.build.test_run"
_BROKEN = "tests.long.test_smoke_broken"
_REAL_API = "tests.real.test_diff_api"
_USES = "tests.real.test_host_uses"
_FORMS = "tests.api.test_uses_every_form"

CASES = {
    "A1": Case((
        f"{_CASES}::test_a_gate_that_the_pin_has_no_kernels_for",
        f"{_HOSTS}::test_a_gate_that_a_real_source_has_no_kernels_for",
    )),
    "A3": Case(
        (
            f"{_CASES}::test_a_tag_in_an_image",
            f"{_CASES}::test_a_commit_in_an_image_that_no_clone_has",
        ),
        "What two projects pin is read with `dgpin show` in each; none compares them.",
    ),
    "A6": Case((f"{_CASES}::test_two_short_commits_behind_a_condition",)),
    "A7": Case((f"{_CASES}::test_a_recipe_that_calls_what_is_gone",)),
    "A8": Case((f"{_CASES}::test_a_pin_that_no_image_gets",)),
    "A9": Case((
        f"{_CASES}::test_recipes_that_install_another",
        "tests.pin.test_check::test_a_text_that_names_a_site_that_is_gone_is_a_finding",
    )),
    "B1": Case((
        f"{_REFUSALS}::test_loss",
        "tests.pin.test_capability::test_port_keeps_the_architecture",
        f"{_REAL_API}::test_lost_architecture",
    )),
    "B3": Case(
        (
            f"{_REPLAY}::test_losses_stop_the_move_until_they_are_named",
            f"{_REAL_API}::test_breaking",
            "tests.integration.test_report::test_exit_code",
        ),
        "`dgpin smoke` on an SM90 shows the mode itself.",
    ),
    "B4": Case((f"{_USES}::test_moves", f"{_FORMS}::test_every_use_is_judged")),
    "B7": Case((
        f"{_CASES}::test_show_says_all_that_is_known",
        f"{_HOSTS}::test_show_lists_every_site",
    )),
    "C1": Case((
        f"{_CASES}::test_a_commit_of_another_repository_in_json",
        f"{_REFUSALS}::test_commit_of_another_repository",
        f"{_REFUSALS}::test_unreachable_commit",
    )),
    "C2": Case((
        f"{_CASES}::test_an_update_of_submodules_before_the_checkout",
        f"{_HOSTS}::test_check_misses_no_site",
        "tests.integration.build.test_command::test_commit_is_taken_out_of_its_mirror",
    )),
    "C4": Case((f"{_CASES}::test_a_shallow_clone_of_a_commit",)),
    "C7": Case((
        f"{_CASES}::test_a_source_that_cannot_be_imported",
        "tests.pin.test_import_check::test_annotation_of_a_name_that_is_not_imported",
    )),
    "C8": Case((f"{_USES}::test_moves", "tests.api.test_bind::test_refused")),
    "D1": Case((
        f"{_PREFLIGHT}::test_elfutils_alone",
        f"{_REPLAY}::test_what_a_maintainer_needed",
    )),
    "D3": Case((
        f"{_PREFLIGHT}::test_old_compiler_is_named_by_what_it_lacks",
        f"{_REPLAY}::test_what_a_maintainer_needed",
    )),
    "D4": Case((
        f"{_BUILD}::test_each_toolkit_has_its_verdict",
        f"{_BUILD}::test_first_error_is_shown_and_the_rest_folded",
    )),
    "D6": Case((
        f"{_PREFLIGHT}::test_stub_of_the_driver_is_found",
        f"{_PREFLIGHT}::test_library_that_is_nowhere_says_where_it_looked",
    )),
    "D7": Case((f"{_PREFLIGHT}::test_everything_missing_is_one_table",)),
    "D8": Case(
        (f"{_PREFLIGHT}::test_without_torch_one_row_says_so",),
        "`dgpin build` never asks pip, so no isolation can be in the way.",
    ),
    "D10": Case((f"{_ARTEFACT}::test_wheel_without_extension_is_a_failure",)),
    "E1": Case((f"{_ARTEFACT}::test_wheel_for_every_python_needs_each_extension",)),
    "E3": Case((f"{_ARTEFACT}::test_abi3_name_is_held_against_its_symbols",)),
    "E5": Case((
        f"{_ARTEFACT}::test_fingerprint_is_held_against_torch",
        f"{_BUILD}::test_another_torch_build_of_one_version_is_a_change",
    )),
    "E6": Case((f"{_ARTEFACT}::test_missing_torch_symbol_is_demangled_with_its_cure",)),
    "E8": Case((f"{_ARTEFACT}::test_cuda_library_fits_torch",)),
    "E9": Case((
        "tests.api.test_failures::test_loader",
        "tests.api.test_failures::test_not_about_the_gpu",
    )),
    "E11": Case((
        f"{_ENVIRONMENT}::test_two_owners",
        "tests.integration.test_show_env::test_two_owners_of_one_file_are_a_finding",
    )),
    "E12": Case((f"{_BUILD}::test_needed_names_what_changed",)),
    "F1": Case((f"{_REAL_API}::test_heirs",)),
    "F2": Case((f"{_FORMS}::test_every_use_is_judged", "tests.api.test_bind::test_refused")),
    "F5": Case((f"{_USES}::test_moves", f"{_USES}::test_the_chain")),
    "F7": Case(
        (f"{_ENVIRONMENT}::test_nothing_there", f"{_BROKEN}::test_broken_machine"),
        "`dgpin show --env` says what is there, `dgpin diff-api --host` which calls it breaks.",
    ),
    "F8": Case(
        (
            f"{_REFUSALS}::test_need_that_does_not_hold",
            "tests.pin.test_capability::test_binding",
            "tests.pin.test_exports::test_a_variable_without_a_reader",
            f"{_HOSTS}::test_a_variable_that_nothing_reads_any_more",
        ),
        "The move is refused with what it needs.",
    ),
    "G1": Case((f"{_ARTEFACT}::test_missing_headers_are_a_failure",)),
    "G3": Case((f"{_ENVIRONMENT}::test_only_vendored",)),
    "G4": Case((f"{_ENVIRONMENT}::test_installed",)),
    "H1": Case(
        note="`dgpin smoke --level 0` has a row for cuobjdump where nvcc is older than 12.8; later "
        "toolkits do without."
    ),
    "H3": Case((f"{_BROKEN}::test_broken_machine",)),
    "H4": Case((
        f"{_BROKEN}::test_broken_machine",
        "tests.build.test_cuda::test_version_is_that_of_the_headers",
    )),
    "H6": Case(
        ("tests.long.test_smoke_steady::test_a_good_machine_fails_in_none_of_100_runs",),
        "`dgpin smoke` has a cache of its own, which its processes share; races in a host's cache "
        "it does not provoke.",
    ),
    "H8": Case(
        note="`dgpin smoke` names its cache after headers and compiler, not after a path; how warm "
        "a host's cache is, it does not judge."
    ),
    "H10": Case((f"{_BROKEN}::test_broken_machine",)),
    "H11": Case((f"{_BROKEN}::test_broken_machine",)),
    "I1": Case((
        f"{_BROKEN}::test_against_an_older_build",
        "tests.smoke.test_compare::test_judge",
    )),
    "I3": Case((f"{_BROKEN}::test_broken_kernel",)),
    "I5": Case(note="`dgpin smoke` compares results and not times: a clock speaks for one GPU."),
    "I7": Case((f"{_REFUSALS}::test_held_pin",)),
    "I9": Case(("tests.smoke.test_explain::test_cause",)),
    "J1": Case((
        f"{_ENVIRONMENT}::test_same_version_other_files",
        f"{_ENVIRONMENT}::test_version_is_not_trusted",
    )),
    "J2": Case((
        "tests.integration.build.test_deliver::test_wheel_tells_what_is_in_it",
        f"{_BUILD}::test_second_run_compiles_nothing",
    )),
    "J3": Case((
        "tests.api.test_lint::test_guarded_is_not_broken",
        "tests.api.test_lint::test_loud_and_silent_are_told_apart",
    )),
    "L1": Case((f"{_HOSTS}::test_show_lists_every_site",)),
    "L2": Case((f"{_REPLAY}::test_0_29_to_0_30",)),
    "L3": Case(("tests.pin.test_check::test_a_text_that_names_a_site_that_is_gone_is_a_finding",)),
    "L4": Case((f"{_REAL_API}::test_breaking", f"{_FACTS}::test_lost_names")),
    "L5": Case((f"{_USES}::test_moves", f"{_USES}::test_lint")),
    "L6": Case(("tests.long.test_probe::test_guarded_import",)),
    "L7": Case((
        "tests.build.test_recipe::test_recipe_of_each_era",
        f"{_BUILD}::test_package_is_what_setup_would_install",
    )),
    "L8": Case((
        f"{_FACTS}::test_source_2_8_2",
        "tests.build.test_packages::test_compiler_with_format",
    )),
    "L12": Case((f"{_HOSTS}::test_a_gate_that_a_real_source_has_no_kernels_for",)),
}  # fmt: skip
