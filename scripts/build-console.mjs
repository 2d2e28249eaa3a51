// Builds the console and the widget into dist/console with Vite, each file beside its compressed forms. Called by build.mjs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** What is smaller gains nothing. */
const WORTH_COMPRESSING = 1_024;

/** Writes `file.gz` and `file.br`: the API sends them to browsers that take them and compresses nothing itself. */
function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
    const content = readFileSync(file);
    if (content.length < WORTH_COMPRESSING) continue;
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    );
  }
}

/** Throws when the console cannot be built; leaves the files of before in that case only if Vite had not begun to write. */
export async function buildConsole(root) {
  if (!existsSync(path.join(root, 'console', 'index.html'))) return;
  const { build } = await import('vite');
  const { page, widget } = await import('../console/vite.config.mjs');
  // Tests build too, and with their NODE_ENV Vite would take Lit's development files: larger, and not what is shipped.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build(page);
    await build(widget);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  compress(path.join(root, 'dist', 'console'));
}
