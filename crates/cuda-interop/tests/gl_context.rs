//! The OpenGL witness, on any OpenGL: which context is current, and what is refused before CUDA is asked.

#[path = "../examples/support/mod.rs"]
mod support;

use cuda_interop::ErrorKind;
use cuda_interop::gl::{GlContext, Probe, probe};
use glutin::prelude::PossiblyCurrentGlContext as _;

#[test]
fn a_current_context_is_taken_and_says_who_it_is() {
    let context = support::headless().unwrap();
    let gl = GlContext::from_glutin(&context).unwrap();
    gl.check().unwrap();
    assert!(!gl.owner().renderer.is_empty() && !gl.owner().vendor.is_empty());
}

#[test]
fn a_context_that_is_not_current_is_refused_and_taken_again_later() {
    let context = support::headless().unwrap();
    let gl = GlContext::from_glutin(&context).unwrap();
    context.make_not_current_in_place().unwrap();
    assert_eq!(*gl.check().unwrap_err().kind(), ErrorKind::NoCurrentGlContext);
    assert!(matches!(
        GlContext::from_glutin(&context).unwrap_err().kind(),
        ErrorKind::NoCurrentGlContext
    ));
    drop(gl);
}

#[test]
fn another_current_context_is_an_error_that_names_both() {
    let first = support::headless().unwrap();
    let gl = GlContext::from_glutin(&first).unwrap();
    let second = support::headless().unwrap();
    let other = GlContext::from_glutin(&second).unwrap();
    other.check().unwrap();
    let error = gl.check().unwrap_err();
    let ErrorKind::WrongGlContext { expected, current } = error.kind() else { panic!("{error}") };
    assert!(expected.contains("EGL context 0x") && current.contains("EGL context 0x"), "{error}");
    assert_ne!(expected, current);
}

#[test]
fn an_invalidated_context_says_so() {
    let context = support::headless().unwrap();
    let gl = GlContext::from_glutin(&context).unwrap();
    gl.invalidate();
    assert_eq!(*gl.check().unwrap_err().kind(), ErrorKind::Invalidated);
}

#[test]
fn a_probe_answers_the_same_twice_and_never_panics() {
    let context = support::headless().unwrap();
    let gl = GlContext::from_glutin(&context).unwrap();
    match (probe(&gl), probe(&gl)) {
        (Probe::Works(first), Probe::Works(second)) => assert_eq!(first, second),
        (Probe::Fails(first), Probe::Fails(second)) => assert_eq!(first.kind(), second.kind()),
        (first, second) => panic!("first {first:?}, then {second:?}"),
    }
    gl.check().unwrap();
}
