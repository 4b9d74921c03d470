# The packages that run in production, without the embedded PostgreSQL: a container is given a database by DATABASE_URL.
FROM node:26.10-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY rest/client/package.json ./rest/client/package.json
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && install -d -o node node_modules/.cache

FROM node:26.10-bookworm-slim
LABEL org.opencontainers.image.title="Catalogue gateway" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY schema ./schema
COPY mcp ./mcp
COPY rest ./rest
COPY src ./src
USER node
# A start that finds no database compiles what every start loads: containers start with it, and need not write to /app.
RUN ! DATABASE_URL=postgresql://127.0.0.1:1/none ./bin/catalog serve
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["./bin/catalog"]
CMD ["serve"]
