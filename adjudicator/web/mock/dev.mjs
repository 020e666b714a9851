/** `npm run dev`: the mock hall, and Vite's development server in front of it. */
import { createServer } from 'vite';
import { startMock } from './server.mjs';

const { address } = await startMock({ port: 8090, tables: 6, rate: 1 });
const vite = await createServer();
await vite.listen();
vite.printUrls();
console.log(`  API: ${address} (mock)`);
