/**
 * How the pages are bundled: one `index.html` that the server answers for every page address, and
 * hashed files under `/assets`. In development, the API is asked of a server beside this one.
 */
import { loadEnv } from 'vite';
import { defineConfig } from 'vitest/config';

/** Where `npm run dev` asks for the API: the mock server, or a real one beside it. */
const api = loadEnv('development', '.', 'TWINBOARD_')['TWINBOARD_API'] ?? 'http://127.0.0.1:8090';

export default defineConfig({
  appType: 'spa',
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: false },
  server: { proxy: { '/api': { target: api, changeOrigin: false } } },
  test: { include: ['src/**/*.test.ts'], environment: 'node', css: true },
});
