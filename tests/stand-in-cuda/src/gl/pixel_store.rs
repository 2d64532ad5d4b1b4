//! GL's pixel transfer settings, set to packed client memory while this lives.

use glow::{HasContext, NativeBuffer};

/// Parameters that change where pixels go, and their values for packed memory.
const PARAMETERS: [(u32, i32); 16] = [
    (glow::PACK_SWAP_BYTES, 0),
    (glow::PACK_LSB_FIRST, 0),
    (glow::PACK_ROW_LENGTH, 0),
    (glow::PACK_SKIP_ROWS, 0),
    (glow::PACK_SKIP_PIXELS, 0),
    (glow::PACK_ALIGNMENT, 1),
    (glow::PACK_IMAGE_HEIGHT, 0),
    (glow::PACK_SKIP_IMAGES, 0),
    (glow::UNPACK_SWAP_BYTES, 0),
    (glow::UNPACK_LSB_FIRST, 0),
    (glow::UNPACK_ROW_LENGTH, 0),
    (glow::UNPACK_SKIP_ROWS, 0),
    (glow::UNPACK_SKIP_PIXELS, 0),
    (glow::UNPACK_ALIGNMENT, 1),
    (glow::UNPACK_IMAGE_HEIGHT, 0),
    (glow::UNPACK_SKIP_IMAGES, 0),
];

pub(super) struct PixelStore<'a> {
    gl: &'a glow::Context,
    before: [i32; PARAMETERS.len()],
    pack_buffer: Option<NativeBuffer>,
    unpack_buffer: Option<NativeBuffer>,
}

impl<'a> PixelStore<'a> {
    pub(super) fn packed(gl: &'a glow::Context) -> Self {
        // SAFETY: the context of `gl` is current; every parameter exists in desktop GL.
        unsafe {
            let before = PARAMETERS.map(|(parameter, _)| gl.get_parameter_i32(parameter));
            let pack_buffer = gl.get_parameter_buffer(glow::PIXEL_PACK_BUFFER_BINDING);
            let unpack_buffer = gl.get_parameter_buffer(glow::PIXEL_UNPACK_BUFFER_BINDING);
            for (parameter, value) in PARAMETERS {
                gl.pixel_store_i32(parameter, value);
            }
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
            Self { gl, before, pack_buffer, unpack_buffer }
        }
    }
}

impl Drop for PixelStore<'_> {
    fn drop(&mut self) {
        // SAFETY: these values were set before.
        unsafe {
            for ((parameter, _), value) in PARAMETERS.into_iter().zip(self.before) {
                self.gl.pixel_store_i32(parameter, value);
            }
            self.gl.bind_buffer(glow::PIXEL_PACK_BUFFER, self.pack_buffer);
            self.gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, self.unpack_buffer);
        }
    }
}
