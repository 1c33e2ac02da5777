# From the root of the checkout: docker buildx bake -f docker/docker-bake.hcl
variable "IMAGE" {
  default = "groupware/service"
}

variable "TAG" {
  default = "dev"
}

group "default" {
  targets = ["service"]
}

target "service" {
  context    = "."
  dockerfile = "docker/service.Dockerfile"
  target     = "service"
  tags       = ["${IMAGE}:${TAG}"]
}

# For a registry: both processor families at once.
target "release" {
  inherits  = ["service"]
  platforms = ["linux/amd64", "linux/arm64"]
}
