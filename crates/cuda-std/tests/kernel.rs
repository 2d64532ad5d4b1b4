//! `#[kernel]` accepts a kernel, and refuses what is none with an error that says why.

#[test]
fn kernel_attribute() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/kernel/accepted.rs");
    cases.compile_fail("tests/kernel/refused_*.rs");
}
