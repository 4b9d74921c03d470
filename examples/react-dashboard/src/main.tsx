import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Client, cacheExchange, fetchExchange, Provider } from 'urql'
import { App } from './app.tsx'

function createClient(token: string): Client {
  return new Client({
    url: '/graphql',
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
  })
}

/** Asks for a token, which is kept as long as the page is open. */
function Start() {
  const [client, setClient] = useState<Client>()
  if (client) {
    return (
      <Provider value={client}>
        <App />
      </Provider>
    )
  }
  const start = (form: FormData) => setClient(createClient(String(form.get('token'))))
  return (
    <form action={start}>
      <label htmlFor="token">Token with the scope read</label>
      <input id="token" name="token" type="password" required />
      <button type="submit">Show</button>
    </form>
  )
}

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Start />
    </StrictMode>,
  )
}
