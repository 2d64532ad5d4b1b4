//! The `#[kernel]` attribute. Use it through `cuda_std::prelude`.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, FnArg, ItemFn, ReturnType, parse_macro_input};

/// Makes a function a GPU kernel: an entry point of the PTX, under its own name.
///
/// The function is `unsafe`, free-standing, not generic, not `async`, returns nothing, and each parameter is `Copy`
/// (parameters are copied to the GPU bit by bit). Anything else is a compile error at the offending place.
///
/// On other targets than `nvptx64` it stays an ordinary function, which `cuda_std::host::launch` can run.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    expand(&arguments.into(), &function).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(arguments: &Tokens, function: &ItemFn) -> Result<Tokens, Error> {
    check(arguments, function)?;
    let copies = function.sig.inputs.iter().filter_map(|parameter| match parameter {
        FnArg::Typed(parameter) => {
            let ty = &parameter.ty;
            Some(quote_spanned!(ty.span()=> kernel_parameters_are_copy::<#ty>();))
        }
        FnArg::Receiver(_) => None,
    });
    let (attributes, visibility, signature, block) =
        (&function.attrs, &function.vis, &function.sig, &function.block);
    let mut gpu_signature = signature.clone();
    gpu_signature.abi = Some(syn::parse_quote!(extern "ptx-kernel"));
    Ok(quote! {
        const _: () = {
            #[allow(dead_code)]
            fn check() {
                fn kernel_parameters_are_copy<T: ::core::marker::Copy>() {}
                #(#copies)*
            }
        };

        #[cfg(target_arch = "nvptx64")]
        #(#attributes)*
        #[unsafe(no_mangle)]
        #visibility #gpu_signature #block

        #[cfg(not(target_arch = "nvptx64"))]
        #(#attributes)*
        #visibility #signature #block
    })
}

/// The rules of a kernel's signature; all violations are reported at once.
fn check(arguments: &Tokens, function: &ItemFn) -> Result<(), Error> {
    let signature = &function.sig;
    let mut errors = Vec::new();
    let mut refuse = |span, text: &str| errors.push(Error::new(span, text));
    if !arguments.is_empty() {
        refuse(arguments.span(), "#[kernel] takes no arguments");
    }
    if signature.unsafety.is_none() {
        refuse(
            signature.fn_token.span,
            "a kernel must be an `unsafe fn`: the compiler cannot check what the launch passes to it",
        );
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        refuse(ty.span(), "a kernel returns nothing: write results through a pointer parameter");
    }
    if let Some(receiver) = signature.receiver() {
        refuse(
            receiver.span(),
            "a kernel is a free function, not a method: pass the data as a parameter",
        );
    }
    if !signature.generics.params.is_empty() {
        refuse(
            signature.generics.span(),
            "a kernel is not generic: it is one entry point of the PTX",
        );
    }
    if let Some(asyncness) = signature.asyncness {
        refuse(asyncness.span, "a kernel is not async");
    }
    if let Some(abi) = &signature.abi {
        refuse(abi.span(), "#[kernel] chooses the ABI itself: remove the `extern`");
    }
    match errors.into_iter().reduce(|mut all, next| {
        all.combine(next);
        all
    }) {
        Some(all) => Err(all),
        None => Ok(()),
    }
}
