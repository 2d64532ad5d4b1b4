//! A bindless handle comes from a registered image only, and is no OpenGL name.

use cuda_interop::gl::{BindlessHandle, GlImage};

fn of_a_mere_texture(texture: glow::Texture) -> u64 {
    texture.bindless_handle().number()
}

fn made_by_hand(number: u64) -> BindlessHandle<'static> {
    BindlessHandle { handle: number }
}

fn as_a_name(image: &GlImage) -> glow::Texture {
    image.bindless_handle().unwrap()
}

fn main() {}
