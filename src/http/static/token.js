// Every request of a page has the token that this browser keeps. The user is asked for one where none is valid.
;(() => {
  const storageKey = 'graphiql:token'
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
        const entered = dialog.returnValue === 'keep' ? input.value.trim() : ''
        if (entered) localStorage.setItem(storageKey, entered)
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
    const isKept = localStorage.getItem(storageKey) !== null
    document.getElementById('change-token').textContent = isKept ? 'Change token' : 'Enter token'
    document.getElementById('forget-token').hidden = !isKept
  }
  label()

  document.getElementById('forget-token').addEventListener('click', () => {
    localStorage.removeItem(storageKey)
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
    let token = localStorage.getItem(storageKey) || (await ask(false))
    for (;;) {
      const attempt = request.clone()
      attempt.headers.set('authorization', `Bearer ${token}`)
      const response = await send(attempt)
      // A dialog that is closed without a token leaves the answer as it is.
      if (response.status !== 401 || token === '') return response
      const kept = localStorage.getItem(storageKey)
      token = kept && kept !== token ? kept : await ask(true)
    }
  }
})()
