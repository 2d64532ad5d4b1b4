//! Drawing: from a [`Scene`](crate::scene::Scene), two matrices and the names of a vertex buffer and a texture to pixels.
//!
//! | file | noun |
//! | --- | --- |
//! | `renderer.rs` | [`Renderer`]: one call a frame |
//! | `mesh.rs` | the mesh as points, wireframe or lit surface |
//! | `plain_points.rs` | points of one pixel in one colour, by the raster units |
//! | `compute_points.rs` | points of one pixel, by a compute shader |
//! | `points_way.rs` | [`PointsWay`]: who rasterises points; which is faster here |
//! | `pixel_rule.rs` | [`pixel_rule()`]: how this OpenGL rounds points to pixels |
//! | `color_map.rs` | the colour maps, and their texture |
//! | `color_bar.rs`, `bar_picture.rs`, `font.rs` | the colour bar: drawing it, painting it, its digits |
//! | `layer.rs` | a transparent picture over the frame |
//! | `rectangle.rs` | a picture as a rectangle of the framebuffer |
//! | `blit.rs` | copies a finished picture |
//! | `target.rs` | [`Target`]: an off-screen framebuffer |
//! | `picture.rs` | an off-screen picture without depth |
//! | `texel_copy.rs` | texels from a buffer into a texture |
//! | `timer.rs` | GL timer queries that never wait |
//! | `load.rs`, `program.rs`, `error.rs` | GL's functions; GLSL programs; what can go wrong |
//!
//! Everything here needs the context of its `glow::Context` to be current on the calling thread; the types are not `Send`, which keeps
//! them on that thread. OpenGL 3.3 core is enough.

mod bar_picture;
mod blit;
mod color_bar;
pub mod color_map;
mod compute_points;
mod error;
mod font;
mod layer;
mod load;
mod mesh;
mod picture;
mod pixel_rule;
mod plain_points;
mod points_way;
mod program;
mod rectangle;
mod renderer;
mod sampler;
mod target;
mod texel_copy;
mod timer;

pub use error::{RenderError, check_gl, gl_error_name};
pub(crate) use layer::{Layer, PixelRect};
pub use load::load_gl;
pub use pixel_rule::pixel_rule;
pub use points_way::PointsWay;
pub(crate) use points_way::{BorderPixels, time};
pub use renderer::{Frame, Renderer, ShownFrame};
pub use target::Target;
pub(crate) use texel_copy::TexelCopy;
