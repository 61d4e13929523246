# An arena in a container: its files are in the volume /arena, and nothing runs as root.
# What is installed is this folder, and what it needs: pip has no version to be told.
# hadolint global ignore=DL3013
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[images]"

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "paper-arena[images]" \
    && rm -r /wheels \
    && useradd --create-home --uid 10001 arena \
    && install --directory --owner=arena /arena
USER 10001
WORKDIR /arena
VOLUME /arena
HEALTHCHECK --interval=10m --timeout=1m --start-period=15m CMD ["arena", "health"]
ENTRYPOINT ["arena"]
CMD ["run"]
