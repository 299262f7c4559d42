import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// oxlint-disable-next-line import/no-default-export -- Vite takes it as the default.
export default defineConfig({
  // The gateway can be mounted below any path.
  base: './',
  plugins: [react()],
  // GraphiQL requires React 18, which is therefore the one at the root of the repository.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    // `data:` is allowed for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    cssTarget: 'chrome123',
    reportCompressedSize: false,
  },
});
