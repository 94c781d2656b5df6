// The data of the report: a JSON document, and columns of numbers to which it refers by offset,
// length and encoding (lib/Report/Columns.h).

async function unpack(text) {
  const [encoding, base64] = text.trim().split(' ');
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  if (encoding === 'plain') return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function readData() {
  const bytes = await unpack(byId('data').textContent);
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const report = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const columns = bytes.subarray(8 + length);
  return { report, column: (place) => readColumn(columns, place) };
}

/** Numbers up to 2^53 as variable-length integers: seven bits per byte, the last byte below 128. */
function readColumn(bytes, [place, length, kind]) {
  const values = new Float64Array(length);
  const deltas = kind === 'deltas';
  let at = place,
    sum = 0;
  for (let i = 0; i < length; ++i) {
    let byte = bytes[at++];
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
    }
    if (deltas) {
      sum += value % 2 ? -(value + 1) / 2 : value / 2;
      values[i] = sum;
    } else {
      values[i] = value;
    }
  }
  return values;
}
