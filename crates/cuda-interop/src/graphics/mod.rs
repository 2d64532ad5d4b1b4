//! What the resources of OpenGL and of Direct3D 11 have in common: CUDA's side of a registration.

mod registered;

pub(crate) use registered::Registered;
