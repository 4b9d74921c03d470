// The bar of each page: the token that this browser keeps, which each request of the page has, and the store of the
// examples. The user is asked for a token where none is valid.
;(() => {
  const [tokenKey, storeKey] = ['graphiql:token', 'graphiql:store']
  const dialog = document.getElementById('token-dialog')
  const input = document.getElementById('token-input')
  const send = window.fetch.bind(window)
  let asking

  /** Resolves with the token that the user enters; several requests wait for one dialog. */
  function ask(refused) {
    dialog.querySelector('.problem').hidden = !refused
    asking ??= new Promise((resolve) => {
      const closed = () => {
        asking = undefined
        const entered = dialog.returnValue === 'keep' ? input.value.trim().replace(/^bearer\s+/i, '') : ''
        if (entered) localStorage.setItem(tokenKey, entered)
        label()
        resolve(entered)
      }
      dialog.addEventListener('close', closed, { once: true })
      dialog.returnValue = ''
      dialog.showModal()
    })
    return asking
  }

  /** Without a token there is none to change or forget. */
  function label() {
    const isKept = localStorage.getItem(tokenKey) !== null
    document.getElementById('change-token').textContent = isKept ? 'Change token' : 'Enter token'
    document.getElementById('forget-token').hidden = !isKept
  }
  label()

  document.getElementById('forget-token').addEventListener('click', () => {
    localStorage.removeItem(tokenKey)
    location.reload()
  })

  document.getElementById('change-token').addEventListener('click', async () => {
    input.value = ''
    if (await ask(false)) location.reload()
  })

  window.fetch = async (resource, options) => {
    const request = new Request(resource, options)
    const needsToken = /^\/(graphql|v1\/(?!openapi\.json$))/.test(new URL(request.url).pathname)
    if (!needsToken || request.headers.has('authorization')) return send(request)
    let token = localStorage.getItem(tokenKey) || (await ask(false))
    for (;;) {
      const attempt = request.clone()
      attempt.headers.set('authorization', `Bearer ${token}`)
      const response = await send(attempt)
      // A dialog that is closed without a token leaves the answer as it is.
      if (response.status !== 401 || token === '') return response
      const kept = localStorage.getItem(tokenKey)
      token = kept && kept !== token ? kept : await ask(true)
    }
  }

  /** The stores of the token, and the one of the examples: of the address, the last picked one, or the first. */
  async function pickStore() {
    const answer = await fetch('/v1/stores?limit=100').catch(() => undefined)
    const { stores = [], total_stores: total } = (answer?.ok && (await answer.json()).data) || {}
    const named = new URL(location.href).searchParams.get('store')
    const isKnown = (uuid) => stores.some(({ store_uuid }) => store_uuid === uuid)
    const picked = named ?? localStorage.getItem(storeKey)
    const store = isKnown(picked) || (picked && stores.length < total) ? picked : stores[0]?.store_uuid
    if (store === undefined) return undefined
    localStorage.setItem(storeKey, store)
    const select = document.getElementById('store')
    select.append(...stores.map(({ store_uuid, store_name }) => new Option(store_name, store_uuid)))
    if (!isKnown(store)) select.append(new Option(store, store))
    select.value = store
    select.parentElement.hidden = false
    select.addEventListener('change', () => {
      localStorage.setItem(storeKey, select.value)
      const address = new URL(location.href)
      address.searchParams.delete('store')
      history.replaceState({}, '', address)
      location.reload()
    })
    return store
  }
  window.catalogue = { token: () => localStorage.getItem(tokenKey), pickStore }
})()
