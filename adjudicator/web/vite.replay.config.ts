/** How the replay in one file is bundled: its script and its style stand in the document. */
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

/** Puts every script and style sheet into the document that asks for it. */
function inOneFile(): Plugin {
  return {
    name: 'in-one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const styles: string[] = [];
      const scripts: string[] = [];
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === 'chunk') scripts.push(item.code.replaceAll('</script', '<\\/script'));
        else if (name.endsWith('.css')) styles.push(String(item.source));
        else continue;
        delete bundle[name];
      }
      const document = bundle['replay.html'];
      if (document?.type !== 'asset') throw new Error('replay.html is not in the bundle');
      const bare = String(document.source).replace(/<(script|link)[^>]*(src|href)="[^"]*"[^>]*>(<\/script>)?/g, '');
      document.source = bare
        .replace('</head>', () => `<style>${styles.join('\n')}</style></head>`)
        .replace('</body>', () => `<script type="module">${scripts.join('\n')}</script></body>`);
    },
  };
}

export default defineConfig({
  plugins: [inOneFile()],
  publicDir: false,
  build: {
    target: 'es2022',
    emptyOutDir: false,
    modulePreload: false,
    assetsInlineLimit: 1_000_000,
    cssCodeSplit: false,
    rollupOptions: { input: 'replay.html', output: { inlineDynamicImports: true } },
  },
});
