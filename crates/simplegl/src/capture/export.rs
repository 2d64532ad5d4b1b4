//! The mesh as a file: PLY, Wavefront OBJ, or the bare floats.

use std::io::{BufWriter, Write};
use std::path::Path;

use kernels::Vertex;

use super::png::write_whole;
use super::{CaptureError, check_writable};
use crate::mesh::MeshSize;

/// A mesh file format, by extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// `.ply`: binary, little-endian; x, y, z and quads.
    Ply,
    /// `.obj`: text; vertices and quads.
    Obj,
    /// `.bin`: x, y, z, w of every vertex as little-endian `f32`, nothing else: the layout of the vertex buffer.
    Bin,
}

impl MeshFormat {
    /// The format of a file name.
    ///
    /// # Errors
    /// When the extension is none of the three.
    pub fn of(path: &Path) -> Result<Self, CaptureError> {
        let extension =
            path.extension().and_then(|text| text.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("ply") => Ok(Self::Ply),
            Some("obj") => Ok(Self::Obj),
            Some("bin") => Ok(Self::Bin),
            _ => Err(CaptureError::Unwritable {
                flag: "--export",
                path: path.to_owned(),
                reason: "the name must end in .ply, .obj or .bin".to_owned(),
            }),
        }
    }
}

/// Finds out before the first frame whether a mesh can be exported to `path`.
///
/// # Errors
/// When the extension is unknown or the file cannot be written.
pub fn check_export(path: &Path) -> Result<MeshFormat, CaptureError> {
    let format = MeshFormat::of(path)?;
    check_writable("--export", path)?;
    Ok(format)
}

/// Writes a mesh. The file appears whole or not at all.
///
/// # Errors
/// When it cannot be written.
///
/// # Panics
/// If there are not as many vertices as the mesh has.
pub fn write_mesh(path: &Path, mesh: MeshSize, vertices: &[Vertex]) -> Result<(), CaptureError> {
    assert_eq!(vertices.len() as u64, mesh.vertices(), "the vertices are the mesh's");
    let format = MeshFormat::of(path)?;
    write_whole(path, |file| {
        match format {
            MeshFormat::Ply => write_ply(file, mesh, vertices),
            MeshFormat::Obj => write_obj(file, mesh, vertices),
            MeshFormat::Bin => write_bin(file, vertices),
        }
        .map_err(|error| error.to_string())
    })
    .map_err(|reason| CaptureError::Write { path: path.to_owned(), reason })
}

/// The quads of the grid as vertex indices, counter-clockwise seen from above.
fn quads(mesh: MeshSize) -> impl Iterator<Item = [u64; 4]> {
    let (width, height) = (u64::from(mesh.width()), u64::from(mesh.height()));
    (0..height - 1).flat_map(move |row| {
        (0..width - 1).map(move |column| {
            let corner = row * width + column;
            [corner, corner + width, corner + width + 1, corner + 1]
        })
    })
}

fn write_ply(file: &mut impl Write, mesh: MeshSize, vertices: &[Vertex]) -> std::io::Result<()> {
    let faces = u64::from(mesh.width() - 1) * u64::from(mesh.height() - 1);
    write!(
        file,
        "ply\nformat binary_little_endian 1.0\ncomment simplegl {mesh}\n\
         element vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices()
    )?;
    for vertex in vertices {
        for value in [vertex.x, vertex.y, vertex.z] {
            file.write_all(&value.to_le_bytes())?;
        }
    }
    for quad in quads(mesh) {
        file.write_all(&[4])?;
        for index in quad {
            file.write_all(&(index as u32).to_le_bytes())?;
        }
    }
    Ok(())
}

fn write_obj(
    file: &mut BufWriter<impl Write>,
    mesh: MeshSize,
    vertices: &[Vertex],
) -> std::io::Result<()> {
    writeln!(file, "# simplegl {mesh}")?;
    for Vertex { x, y, z, .. } in vertices {
        writeln!(file, "v {x} {y} {z}")?;
    }
    for quad in quads(mesh) {
        let [a, b, c, d] = quad.map(|index| index + 1);
        writeln!(file, "f {a} {b} {c} {d}")?;
    }
    Ok(())
}

fn write_bin(file: &mut impl Write, vertices: &[Vertex]) -> std::io::Result<()> {
    for vertex in vertices {
        for value in [vertex.x, vertex.y, vertex.z, vertex.w] {
            file.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::compute::Wave;
    use crate::compute::cpu::Cpu;

    fn mesh(width: u32, height: u32) -> (MeshSize, Vec<Vertex>) {
        let mesh = MeshSize::new(width, height).unwrap();
        let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
        Cpu::new().simple_vbo(&mut vertices, mesh, Wave::sample(0.25));
        (mesh, vertices)
    }

    fn written(name: &str, mesh: MeshSize, vertices: &[Vertex]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        check_export(&path).unwrap();
        write_mesh(&path, mesh, vertices).unwrap();
        fs::read(path).unwrap()
    }

    #[test]
    fn bin_is_the_vertex_buffer() {
        let (mesh, vertices) = mesh(3, 2);
        assert_eq!(written("mesh.bin", mesh, &vertices), bytemuck::cast_slice::<_, u8>(&vertices));
    }

    #[test]
    fn obj_reads_back_to_the_same_bits() {
        let (mesh, vertices) = mesh(3, 2);
        let text = String::from_utf8(written("mesh.obj", mesh, &vertices)).unwrap();
        let read: Vec<[f32; 3]> = text
            .lines()
            .filter_map(|line| line.strip_prefix("v "))
            .map(|line| {
                let mut values = line.split(' ').map(|value| value.parse().unwrap());
                std::array::from_fn(|_| values.next().unwrap())
            })
            .collect();
        assert_eq!(read, vertices.iter().map(|v| [v.x, v.y, v.z]).collect::<Vec<_>>());
        let faces: Vec<&str> = text.lines().filter(|line| line.starts_with("f ")).collect();
        assert_eq!(faces, ["f 1 4 5 2", "f 2 5 6 3"]);
    }

    #[test]
    fn ply_has_the_length_that_its_header_says() {
        let (mesh, vertices) = mesh(4, 3);
        let bytes = written("mesh.PLY", mesh, &vertices);
        let end = b"end_header\n";
        let at = bytes.windows(end.len()).position(|window| window == end).unwrap() + end.len();
        let header = std::str::from_utf8(&bytes[..at]).unwrap();
        assert!(header.contains("element vertex 12\n") && header.contains("element face 6\n"));
        assert_eq!(bytes.len() - at, 12 * 12 + 6 * 17);
        assert_eq!(bytes[at + 4..at + 8], vertices[0].y.to_le_bytes());
    }

    #[test]
    fn quads_face_up() {
        let (mesh, vertices) = mesh(2, 2);
        let [a, b, c, _] = quads(mesh).next().unwrap().map(|i| vertices[i as usize]);
        // The y component of (b - a) x (c - b).
        assert!((b.z - a.z) * (c.x - b.x) - (b.x - a.x) * (c.z - b.z) > 0.0);
    }

    #[test]
    fn a_thin_mesh_has_vertices_and_no_faces() {
        let (mesh, vertices) = mesh(5, 1);
        let text = String::from_utf8(written("mesh.obj", mesh, &vertices)).unwrap();
        assert_eq!(text.lines().count(), 1 + 5);
    }

    #[test]
    fn other_extensions_are_refused() {
        for name in ["mesh", "mesh.stl", "ply"] {
            let error = check_export(Path::new(name)).unwrap_err().to_string();
            assert!(error.contains(".ply, .obj or .bin"), "{error}");
        }
    }
}
