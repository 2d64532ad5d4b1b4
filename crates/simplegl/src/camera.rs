//! The camera: an orbit around a target, with the sample's numbers as defaults. Pure arithmetic.
//!
//! The view is `T(0, 0, -distance) Rx Ry T(-target)`: with the target at the origin this is, step by step, the
//! `glTranslatef`, `glRotatef` (x), `glRotatef` (y) of simpleGL. The projection is its `gluPerspective(60, aspect, 0.1, 10)`.

#![deny(unsafe_code)]

mod text;

use nalgebra::{Matrix4, Orthographic3, Perspective3, Point3, Rotation3, Translation3, Vector3};
use serde::Serialize;

pub use text::ViewTextError;

/// Vertical field of view of the perspective projection, in degrees.
pub const FOV_Y_DEG: f32 = 60.0;
/// Nearest visible depth of the default view.
pub const NEAR: f32 = 0.1;
/// Farthest visible depth of the default view.
pub const FAR: f32 = 10.0;
/// Distance of the default view: the sample's `translate_z` is its negative.
pub const DEFAULT_DISTANCE: f32 = 3.0;
/// Degrees of orbit per pixel of drag.
pub const ORBIT_DEG_PER_PIXEL: f32 = 0.2;
/// The distances that zooming can reach.
pub const DISTANCE_RANGE: std::ops::RangeInclusive<f32> = 0.01..=1000.0;

/// The sample moves 0.01 units per pixel at distance 3. As a ratio of the distance it never passes through the mesh.
const ZOOM_PER_PIXEL: f32 = 0.01 / DEFAULT_DISTANCE;
/// One notch of the wheel comes this much closer.
const ZOOM_PER_NOTCH: f32 = 0.9;
/// Room kept around the mesh by [`Camera::fit`].
const FIT_MARGIN: f32 = 1.05;
/// A coasting camera halves its speed in this many seconds.
const INERTIA_HALF_LIFE_S: f32 = 0.15;

/// How depth maps to the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Projection {
    /// Far things are smaller.
    #[default]
    Perspective,
    /// Parallel lines stay parallel; the plane through the target keeps the size that perspective gives it.
    Orthographic,
}

/// A box around the origin of the mesh, given by its half extents in mesh units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The centre.
    pub center: Point3<f32>,
    /// Half of the width, height and depth.
    pub half_extent: Vector3<f32>,
}

impl Bounds {
    /// The mesh: `u` and `v` run from -1 to 1, the height from `-amplitude` to `amplitude`.
    #[must_use]
    pub fn of_mesh(amplitude: f32) -> Self {
        Self { center: Point3::origin(), half_extent: Vector3::new(1.0, amplitude.abs(), 1.0) }
    }

    fn corners(self) -> impl Iterator<Item = Point3<f32>> {
        (0..8).map(move |corner: u8| {
            let sign = |bit: u8| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.center + self.half_extent.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
        })
    }
}

/// Where the viewer is and how depth becomes a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Camera {
    /// Rotation about the x axis in degrees, in (-180, 180].
    pub rotate_x_deg: f32,
    /// Rotation about the y axis in degrees, in (-180, 180].
    pub rotate_y_deg: f32,
    /// The point in the middle of the picture, around which the camera orbits.
    #[serde(serialize_with = "serialize_point")]
    pub target: Point3<f32>,
    /// Distance from the viewer to the target, in mesh units.
    pub distance: f32,
    /// Perspective or orthographic.
    pub projection: Projection,
}

impl Default for Camera {
    /// The sample's start: straight on, `translate_z` -3, 60 degrees.
    fn default() -> Self {
        Self {
            rotate_x_deg: 0.0,
            rotate_y_deg: 0.0,
            target: Point3::origin(),
            distance: DEFAULT_DISTANCE,
            projection: Projection::Perspective,
        }
    }
}

impl Camera {
    /// Orbits by a drag of `dx`, `dy` pixels (right and down are positive).
    pub fn orbit(&mut self, dx: f32, dy: f32) {
        self.turn(dx * ORBIT_DEG_PER_PIXEL, dy * ORBIT_DEG_PER_PIXEL);
    }

    fn turn(&mut self, yaw_deg: f32, pitch_deg: f32) {
        self.rotate_x_deg = wrap_deg(self.rotate_x_deg + pitch_deg);
        self.rotate_y_deg = wrap_deg(self.rotate_y_deg + yaw_deg);
    }

    /// Comes closer by a drag of `dy` pixels downwards: 0.01 units a pixel at the default distance, as in the sample.
    pub fn zoom_drag(&mut self, dy: f32) {
        self.set_distance(self.distance * (-dy * ZOOM_PER_PIXEL).exp());
    }

    /// Comes closer by `notches` of the wheel (away from the user is positive).
    pub fn zoom_wheel(&mut self, notches: f32) {
        self.set_distance(self.distance * ZOOM_PER_NOTCH.powf(notches));
    }

    fn set_distance(&mut self, distance: f32) {
        if distance.is_finite() {
            self.distance = distance.clamp(*DISTANCE_RANGE.start(), *DISTANCE_RANGE.end());
        }
    }

    /// Moves the target so that what is at its depth follows a drag of `dx`, `dy` pixels in a picture of `height` pixels.
    pub fn pan(&mut self, dx: f32, dy: f32, height: u32) {
        let units_per_pixel = 2.0 * self.half_height() / height.max(1) as f32;
        let in_view = Vector3::new(-dx, dy, 0.0) * units_per_pixel;
        self.target += self.rotation().inverse() * in_view;
    }

    /// Back to the default view; the projection stays.
    pub fn reset(&mut self) {
        *self = Self { projection: self.projection, ..Self::default() };
    }

    /// Looks along -z: `u` to the right, the height up.
    pub fn front(&mut self) {
        (self.rotate_x_deg, self.rotate_y_deg) = (0.0, 0.0);
    }

    /// Looks along -x, from the right of the front view.
    pub fn side(&mut self) {
        (self.rotate_x_deg, self.rotate_y_deg) = (0.0, -90.0);
    }

    /// Looks down along -y.
    pub fn top(&mut self) {
        (self.rotate_x_deg, self.rotate_y_deg) = (90.0, 0.0);
    }

    /// Changes between perspective and orthographic.
    pub fn toggle_projection(&mut self) {
        self.projection = match self.projection {
            Projection::Perspective => Projection::Orthographic,
            Projection::Orthographic => Projection::Perspective,
        };
    }

    /// Keeps the direction and moves to the least distance at which all of `bounds` is in a picture of this aspect (width / height).
    pub fn fit(&mut self, bounds: Bounds, aspect: f32) {
        self.target = bounds.center;
        let tan_y = half_fov_tan();
        let tan_x = tan_y * finite_aspect(aspect);
        let rotation = self.rotation();
        let distance = bounds
            .corners()
            .map(|corner| {
                let seen = rotation * (corner - bounds.center);
                let needed = (seen.x.abs() / tan_x).max(seen.y.abs() / tan_y) * FIT_MARGIN;
                match self.projection {
                    Projection::Perspective => seen.z + needed,
                    Projection::Orthographic => needed,
                }
            })
            .fold(0.0, f32::max);
        self.set_distance(distance);
    }

    /// World to eye space.
    #[must_use]
    pub fn view(&self) -> Matrix4<f32> {
        Translation3::new(0.0, 0.0, -self.distance).to_homogeneous()
            * self.rotation().to_homogeneous()
            * Translation3::from(-self.target.coords).to_homogeneous()
    }

    /// Eye to clip space (OpenGL's, depth -1 to 1) for a picture of this aspect (width / height).
    #[must_use]
    pub fn projection(&self, aspect: f32) -> Matrix4<f32> {
        let aspect = finite_aspect(aspect);
        let (near, far) = self.clip_planes();
        match self.projection {
            Projection::Perspective => {
                Perspective3::new(aspect, FOV_Y_DEG.to_radians(), near, far).to_homogeneous()
            }
            Projection::Orthographic => {
                let top = self.half_height();
                let right = top * aspect;
                // What is behind the eye is visible too: there is no eye point in a parallel projection.
                Orthographic3::new(-right, right, -top, top, -far, far).to_homogeneous()
            }
        }
    }

    /// World to clip space.
    #[must_use]
    pub fn view_projection(&self, aspect: f32) -> Matrix4<f32> {
        self.projection(aspect) * self.view()
    }

    /// The nearest and the farthest visible depth: the sample's while they do, wider when the camera has gone
    /// so near or so far that they would cut the mesh off.
    #[must_use]
    pub fn clip_planes(&self) -> (f32, f32) {
        (NEAR.min(self.distance * 0.1), FAR.max(self.distance * 2.0))
    }

    fn rotation(&self) -> Rotation3<f32> {
        Rotation3::from_axis_angle(&Vector3::x_axis(), self.rotate_x_deg.to_radians())
            * Rotation3::from_axis_angle(&Vector3::y_axis(), self.rotate_y_deg.to_radians())
    }

    /// Half of the picture's height at the depth of the target, in mesh units.
    fn half_height(&self) -> f32 {
        self.distance * half_fov_tan()
    }
}

/// Lets the camera glide on after a drag. Off unless the user turns it on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Whether releasing the button leaves the camera turning.
    pub enabled: bool,
    yaw_deg_per_s: f32,
    pitch_deg_per_s: f32,
}

impl Inertia {
    /// Slower than this is rest.
    const REST_DEG_PER_S: f32 = 0.5;

    /// At rest.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        Self { enabled, ..Self::default() }
    }

    /// Remembers the speed of a drag of `dx`, `dy` pixels that took `seconds`.
    pub fn follow(&mut self, dx: f32, dy: f32, seconds: f32) {
        if seconds > 0.0 {
            // An average over some events: one event alone has a jittery duration.
            let mix =
                |old: f32, pixels: f32| 0.5 * old + 0.5 * pixels * ORBIT_DEG_PER_PIXEL / seconds;
            self.yaw_deg_per_s = mix(self.yaw_deg_per_s, dx);
            self.pitch_deg_per_s = mix(self.pitch_deg_per_s, dy);
        }
    }

    /// Stands still.
    pub fn stop(&mut self) {
        (self.yaw_deg_per_s, self.pitch_deg_per_s) = (0.0, 0.0);
    }

    /// Whether [`Inertia::coast`] still moves the camera.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.enabled && self.yaw_deg_per_s.hypot(self.pitch_deg_per_s) > Self::REST_DEG_PER_S
    }

    /// Turns the camera for `seconds` and slows down.
    pub fn coast(&mut self, camera: &mut Camera, seconds: f32) {
        if !self.is_moving() {
            return self.stop();
        }
        let decay = 0.5f32.powf(seconds / INERTIA_HALF_LIFE_S);
        // The integral of the decaying speed, so that the path does not depend on the frame rate.
        let travel = INERTIA_HALF_LIFE_S / std::f32::consts::LN_2 * (1.0 - decay);
        camera.turn(self.yaw_deg_per_s * travel, self.pitch_deg_per_s * travel);
        self.yaw_deg_per_s *= decay;
        self.pitch_deg_per_s *= decay;
    }
}

fn serialize_point<S: serde::Serializer>(
    point: &Point3<f32>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    [point.x, point.y, point.z].serialize(serializer)
}

fn half_fov_tan() -> f32 {
    (FOV_Y_DEG.to_radians() * 0.5).tan()
}

/// An aspect that a projection can use, also for a window without area.
fn finite_aspect(aspect: f32) -> f32 {
    if aspect.is_finite() && aspect > 0.0 { aspect.clamp(1e-3, 1e3) } else { 1.0 }
}

/// `degrees` in (-180, 180]; to the bit the same if it is there already.
fn wrap_deg(degrees: f32) -> f32 {
    if degrees > -180.0 && degrees <= 180.0 {
        return degrees;
    }
    let wrapped = degrees.rem_euclid(360.0);
    if wrapped > 180.0 { wrapped - 360.0 } else { wrapped }
}

#[cfg(test)]
mod tests;
