# The image of the function: `make image`
#
# If you push the image, it must know its name: --build-arg IMAGE=registry.example/krm-fn:1.0.0
#
# Nothing here names an architecture: with `docker buildx build --platform linux/amd64,linux/arm64`, every stage runs on each of
# them. The same sources and the same SOURCE_DATE_EPOCH give the same layers.
#
# To build without a network, put the wheels of locks/build.txt and locks/image.txt into wheels/, and add
#   --build-arg PIP_ARGS='--no-index --find-links wheels'
#
# Both have the same minor version of Python, and glibc. Any base with Python will do: one with a shell is
# gcr.io/distroless/python3-debian13:debug-nonroot.
ARG BUILD=docker.io/library/python:3.13-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
ARG BASE=gcr.io/distroless/python3-debian13:nonroot@sha256:774595d652a294b54c9bd575b2d9fdd1a4b47547dc17b8bfa4c0e953c64855b3

FROM ${BUILD} AS wheels
ARG PIP_ARGS=
ARG SOURCE_DATE_EPOCH
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_DEPS=1 PIP_ROOT_USER_ACTION=ignore PYTHONPATH=/tools
WORKDIR /src
COPY locks locks
# LICENSE is only there because one file must exist.
COPY LICENSE wheel[s] wheels/
RUN python -m pip install --target /tools --require-hashes ${PIP_ARGS} --requirement locks/build.txt \
 && python -m pip download --dest /wheels --require-hashes ${PIP_ARGS} --requirement locks/image.txt
COPY . .
RUN python -m pip wheel --wheel-dir /wheels --no-index --no-build-isolation .

FROM ${BASE} AS assembled
ARG SOURCE_DATE_EPOCH
USER 0
COPY --from=wheels /tools /tools
COPY --from=wheels /wheels /wheels
COPY . /src
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
RUN ["python3", "/src/release/assemble_image.py", "/src", "/wheels", "/tools"]

# The bill of materials alone: `docker build --target sbom --output dist .`
FROM scratch AS sbom
COPY --from=assembled /layer/opt/krm-fn/krm-fn.cdx.json /

FROM ${BASE}
ARG BASE
ARG SOURCE=https://github.com/krm-fn/krm-fn
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="krm-fn" \
      org.opencontainers.image.description="A KRM function that names ConfigMaps by their content and updates every reference." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.url="${SOURCE}" \
      org.opencontainers.image.documentation="${SOURCE}#readme" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${BASE}"
# The name of this image, which the function writes into the linker's Job.
ARG IMAGE=
ENV KRM_FN_IMAGE=${IMAGE} \
    PATH=/opt/krm-fn/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPYCACHEPREFIX=/opt/krm-fn/pycache
COPY --from=assembled /layer/ /
# `nobody`, as a number, so that Kubernetes can check that it is not root.
USER 65534:65534
# -P: never import a file from the working directory, which may be a mounted package.
ENTRYPOINT ["python", "-P", "-m", "krm_fn"]
