import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The page asks its own origin, which passes `/graphql` on: the gateway needs no CORS_ORIGINS.
const { GATEWAY_URL = 'http://127.0.0.1:4000' } = process.env

export default defineConfig({
  plugins: [react()],
  server: { proxy: { '/graphql': GATEWAY_URL } },
  build: { chunkSizeWarningLimit: 1_000 },
})
