// Two builds from one folder: the page (hashed files, loaded by index.html) and the widget (one module at a stable address).
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const outDir = path.resolve(root, '..', 'dist', 'console');

const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  // Relative addresses: the page also works behind a proxy that puts it under a path.
  base: './',
  publicDir: false,
};
const build = {
  outDir,
  target: 'es2022',
  // A data: address would need a hole in the content security policy.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  reportCompressedSize: false,
};

/** The page; empties the folder first. */
export const page = { ...shared, build: { ...build, emptyOutDir: true } };

/** `<holdpoint-ask>` as one file with nothing beside it. */
export const widget = {
  ...shared,
  build: {
    ...build,
    emptyOutDir: false,
    rolldownOptions: {
      input: path.join(root, 'widget', 'index.ts'),
      preserveEntrySignatures: 'strict',
      output: { format: 'es', entryFileNames: 'holdpoint-ask.js' },
    },
  },
};

export default page;
